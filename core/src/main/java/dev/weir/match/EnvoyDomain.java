package dev.weir.match;

import dev.weir.model.Algorithm;
import dev.weir.model.Limit;
import dev.weir.model.Request;
import dev.weir.model.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A domain in Envoy's spelling: a tree that a descriptor walks entry by entry, with no way back; only the node of its last
 * entry supplies a limit. A set of attributes instead takes every path whose keys it holds.
 */
final class EnvoyDomain implements Domain {
    private static final int[] NONE = {};

    private final EnvoyNode root = new EnvoyNode(List.of(), "", null, -1, NONE);
    /** The names that some rule replaces, numbered, so that dropping them compares no text. */
    private final Map<String, Integer> replaceable = new HashMap<>();
    /** Each key once, however many nodes have it. */
    private final Map<String, String> names = new HashMap<>();
    /** By the rule's ordinal in the rule set, less the first one's. */
    private final List<EnvoyNode> byRule = new ArrayList<>();

    private int firstRule;

    /** Compiles the tree; {@code adopt} gives each rule, in the order of the file, its place in the rule set. */
    EnvoyDomain(List<EnvoyDescriptor> descriptors, Adoption adopt) {
        collectReplaced(descriptors);
        compile(descriptors, root, List.of(), "", false, adopt);
    }

    private void collectReplaced(List<EnvoyDescriptor> descriptors) {
        for (EnvoyDescriptor each : descriptors) {
            if (each.rule() != null) {
                each.rule().replaces().forEach(name -> replaceable.putIfAbsent(name, replaceable.size()));
            }
            collectReplaced(each.children());
        }
    }

    private void compile(
            List<EnvoyDescriptor> from,
            EnvoyNode parent,
            List<String> keys,
            String parentScope,
            boolean parentKeyed,
            Adoption adopt) {
        for (EnvoyDescriptor each : from) {
            boolean keyed = parentKeyed || each.tellsApart();
            String scope = Scope.append(parentScope, each.key(), each.value());
            Rule rule = each.rule() == null ? null : adopt.adopt(each.rule(), keyed, scope);
            List<String> path = append(keys, names.computeIfAbsent(each.key(), key -> key));
            String shared = each.shareThreshold() ? each.value() : "";
            EnvoyNode node = new EnvoyNode(path, shared, rule, nameOf(rule), replacesOf(rule));
            if (rule != null) {
                firstRule = byRule.isEmpty() ? rule.ordinal() : firstRule;
                byRule.add(node);
            }
            parent.add(path.get(path.size() - 1), each.value(), node);
            compile(each.children(), node, path, scope, keyed, adopt);
        }
    }

    private static List<String> append(List<String> path, String next) {
        List<String> longer = new ArrayList<>(path);
        longer.add(next);
        return List.copyOf(longer);
    }

    private int nameOf(@Nullable Rule rule) {
        // The reference never drops what is unlimited.
        if (rule == null || rule.limit() == null || rule.name().isEmpty()) {
            return -1;
        }
        return replaceable.getOrDefault(rule.name(), -1);
    }

    private int[] replacesOf(@Nullable Rule rule) {
        return rule == null || rule.replaces().isEmpty()
                ? NONE
                : rule.replaces().stream()
                        .mapToInt(name -> replaceable.getOrDefault(name, -1))
                        .toArray();
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
        if (!replaceable.isEmpty()) {
            dropReplaced(into);
        }
    }

    private void walkEntries(Request request, int descriptor, Matches into) {
        EnvoyNode node = root;
        for (int i = request.start(descriptor), end = request.end(descriptor); i < end; i++) {
            String value = value(request, i, into);
            node = node.child(request.key(i), value);
            if (node == null) {
                return;
            }
            node.part(into.parts, value);
        }
        node.match(descriptor, into);
    }

    /** The value of an entry; the tier that was agreed with the caller takes the place of the one that was sent. */
    private static String value(Request request, int entry, Matches into) {
        String tier = into.tier;
        return tier != null && request.key(entry).equals(Attributes.TIER) ? tier : request.value(entry);
    }

    private void walkAttributes(Request request, int descriptor, EnvoyNode node, Matches into) {
        if (node.isLeaf()) {
            return;
        }
        int start = request.start(descriptor);
        for (int i = start, end = request.end(descriptor); i < end; i++) {
            String key = request.key(i);
            String value = value(request, i, into);
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
    }

    /** An endpoint given as method and path also answers to "POST /path". */
    private void walkEndpoint(Request request, int descriptor, EnvoyNode node, String endpoint, Matches into) {
        String method = request.value(descriptor, Attributes.METHOD);
        if (method != null && node.has(Attributes.ENDPOINT) && Endpoint.pathOf(endpoint) == 0) {
            String full = method + " " + endpoint;
            EnvoyNode child = node.childOfValue(Attributes.ENDPOINT, full);
            if (child != null) {
                take(request, descriptor, child, full, into);
                return;
            }
        }
        take(request, descriptor, node.child(Attributes.ENDPOINT, endpoint), endpoint, into);
    }

    private void take(Request request, int descriptor, @Nullable EnvoyNode node, String value, Matches into) {
        if (node != null) {
            node.part(into.parts, value);
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

    /** Drops the rules that another rule of this request names; a rule that is dropped still replaces. */
    private void dropReplaced(Matches matches) {
        matches.replaced.clear();
        for (int i = 0; i < matches.size(); i++) {
            EnvoyNode node = nodeOf(matches.get(i));
            if (node != null) {
                for (int name : node.replaces) {
                    matches.replaced.set(name);
                }
            }
        }
        for (int i = matches.size() - 1; i >= 0 && !matches.replaced.isEmpty(); i--) {
            EnvoyNode node = nodeOf(matches.get(i));
            if (node != null && node.name >= 0 && matches.replaced.get(node.name)) {
                matches.remove(i);
            }
        }
    }

    private @Nullable EnvoyNode nodeOf(Match match) {
        return match.rule == null ? null : byRule.get(match.rule.ordinal() - firstRule);
    }
}
