package dev.weir.internal.match.envoy;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.Domain;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.RuleRegistrar;
import dev.weir.internal.match.override.OverrideSelector;
import dev.weir.internal.match.pattern.Attributes;
import dev.weir.internal.match.pattern.EndpointPattern;
import dev.weir.internal.model.Rule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A domain in Envoy's format: a tree that a descriptor walks entry by entry, without backtracking. Only the node of its
 * last entry supplies a limit. A set of attributes instead takes every path whose keys it has.
 */
public final class EnvoyDomain implements Domain {
    private final EnvoyNode root = new EnvoyNode(List.of(), "", false, null);
    private final RuleReplacements replacements;
    /** Each key once, however many nodes have it. */
    private final Map<String, String> names = new HashMap<>();

    /** Compiles the tree; {@code adopt} gives each rule, in the order of the file, its place in the index. */
    public EnvoyDomain(List<EnvoyDescriptor> descriptors, RuleRegistrar adopt) {
        replacements = new RuleReplacements(descriptors);
        Queue<Rule> rules = new ArrayDeque<>();
        adopt(descriptors, "", false, adopt, rules);
        // Register all rules first, so that the nodes on one path are adjacent in memory.
        compile(descriptors, root, List.of(), rules);
    }

    private void adopt(
            List<EnvoyDescriptor> from,
            String parentSelector,
            boolean parentKeyed,
            RuleRegistrar adopt,
            Queue<Rule> into) {
        for (EnvoyDescriptor each : from) {
            boolean keyed = parentKeyed || each.tellsApart();
            String selector = OverrideSelector.append(parentSelector, each.key(), each.value());
            if (each.rule() != null) {
                Rule rule = adopt.adopt(each.rule(), keyed, selector);
                replacements.add(rule);
                into.add(rule);
            }
            adopt(each.children(), selector, keyed, adopt, into);
        }
    }

    private void compile(List<EnvoyDescriptor> from, EnvoyNode parent, List<String> keys, Queue<Rule> rules) {
        for (EnvoyDescriptor each : from) {
            List<String> path = append(keys, names.computeIfAbsent(each.key(), key -> key));
            Rule rule = each.rule() == null ? null : rules.remove();
            EnvoyNode node = new EnvoyNode(path, each.value(), each.shareThreshold(), rule);
            parent.add(node);
            compile(each.children(), node, path, rules);
        }
    }

    private static List<String> append(List<String> path, String next) {
        List<String> longer = new ArrayList<>(path);
        longer.add(next);
        return List.copyOf(longer);
    }

    @Override
    public void match(Request request, Matches into) {
        for (int i = 0, descriptors = request.descriptors(); i < descriptors; i++) {
            Limit override = request.override(i);
            if (override != null) {
                into.addOverride(request, i, override, override.algorithm() == Algorithm.FIXED_WINDOW);
            } else if (request.isAttributes()) {
                walkAttributes(request, i, root, into);
            } else {
                walkEntries(request, i, into);
            }
        }
        replacements.drop(into);
        into.apart = into.size() > 1;
    }

    private void walkEntries(Request request, int descriptor, Matches into) {
        EnvoyNode node = root;
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            String value = into.tier.value(request, i);
            node = node.child(request.key(i), value);
            if (node == null) {
                return;
            }
            node.writeValue(into.parts, value);
        }
        node.match(descriptor, into);
    }

    private void walkAttributes(Request request, int descriptor, EnvoyNode node, Matches into) {
        if (node.isLeaf()) {
            return;
        }
        int start = request.start(descriptor);
        for (int i = start, end = request.end(descriptor); i < end; i++) {
            String key = request.key(i);
            String value = into.tier.value(request, i);
            if (isRepeated(request, start, i)) {
                continue;
            }
            if (key.equals(Attributes.ENDPOINT)) {
                walkEndpoint(request, descriptor, node, value, into);
            } else {
                take(request, descriptor, node.child(key, value), value, into);
            }
            boolean alias = key.equals(Attributes.IP) && request.value(descriptor, Attributes.REMOTE_ADDRESS) == null;
            if (alias) {
                take(request, descriptor, node.child(Attributes.REMOTE_ADDRESS, value), value, into);
            }
        }
        String tier = into.tier.added(request, descriptor);
        if (tier != null) {
            take(request, descriptor, node.child(Attributes.TIER, tier), tier, into);
        }
    }

    /** Walks an endpoint; one given as method and path also matches "POST /path". */
    private void walkEndpoint(Request request, int descriptor, EnvoyNode node, String endpoint, Matches into) {
        String method = request.value(descriptor, Attributes.METHOD);
        EnvoyChildren children = node.children(Attributes.ENDPOINT);
        if (children == null) {
            return;
        }
        if (method != null && EndpointPattern.pathOf(endpoint) == 0) {
            String full = method + " " + endpoint;
            EnvoyNode child = children.askingFor(full);
            if (child != null) {
                take(request, descriptor, child, full, into);
                return;
            }
        }
        take(request, descriptor, children.taking(endpoint), endpoint, into);
    }

    private void take(Request request, int descriptor, @Nullable EnvoyNode node, String value, Matches into) {
        if (node != null) {
            node.writeValue(into.parts, value);
            node.match(descriptor, into);
            walkAttributes(request, descriptor, node, into);
        }
    }

    private static boolean isRepeated(Request request, int start, int entry) {
        for (int i = start; i < entry; i++) {
            if (request.key(i).equals(request.key(entry))) {
                return true;
            }
        }
        return false;
    }
}
