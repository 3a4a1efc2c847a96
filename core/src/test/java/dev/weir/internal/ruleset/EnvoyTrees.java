package dev.weir.internal.ruleset;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.Matches;
import dev.weir.internal.match.envoy.EnvoyDescriptor;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Trees in Envoy's spelling, written short, and what a request meets in them. */
public final class EnvoyTrees {
    public static final Limit PER_MINUTE = Limit.fixedWindow(10, Duration.ofMinutes(1));

    private EnvoyTrees() {}

    /** A node {@code key} or {@code key=value} with a limit by the same name. */
    public static EnvoyDescriptor limited(String keyValue, EnvoyDescriptor... children) {
        return limited(keyValue, rule(keyValue), children);
    }

    public static EnvoyDescriptor limited(String keyValue, @Nullable Rule rule, EnvoyDescriptor... children) {
        String[] parts = keyValue.split("=", 2);
        return new EnvoyDescriptor(parts[0], parts.length == 1 ? "" : parts[1], rule, false, List.of(children));
    }

    /** A node without a limit. */
    public static EnvoyDescriptor open(String keyValue, EnvoyDescriptor... children) {
        return limited(keyValue, (Rule) null, children);
    }

    public static EnvoyDescriptor sharing(EnvoyDescriptor node) {
        return new EnvoyDescriptor(node.key(), node.value(), node.rule(), true, node.children());
    }

    public static Rule rule(String name) {
        return rule(name, PER_MINUTE).build();
    }

    public static RuleBuilder rule(String name, Limit limit) {
        return Rule.builder("d", name).name(name).label(name).limit(limit).countsDenied(true);
    }

    public static WrittenRules rules(EnvoyDescriptor... nodes) {
        return WrittenRules.builder().envoy("d", List.of(nodes)).build();
    }

    /** A request to the domain {@code d}; each argument is a descriptor {@code k=v k2=v2}. */
    public static Request ask(String... descriptors) {
        Request request = Request.to("d");
        for (String descriptor : descriptors) {
            request.descriptor();
            for (String entry : descriptor.isEmpty() ? new String[0] : descriptor.split(" ")) {
                String[] parts = entry.split("=", 2);
                request.with(parts[0], parts[1]);
            }
        }
        return request;
    }

    public static Matches match(WrittenRules rules, Request request) {
        return match(RuleIndex.of(rules), request);
    }

    public static Matches match(RuleIndex rules, Request request) {
        Matches matches = new Matches();
        rules.match(request, matches);
        return matches;
    }

    /** The rules that the request meets, each as {@code descriptor:rule}. */
    public static List<String> met(WrittenRules rules, Request request) {
        return met(RuleIndex.of(rules), request);
    }

    public static List<String> met(RuleIndex rules, Request request) {
        Matches matches = match(rules, request);
        List<String> met = new ArrayList<>();
        for (int i = 0; i < matches.size(); i++) {
            Rule rule = matches.get(i).rule();
            met.add(matches.get(i).descriptor() + ":" + (rule == null ? "caller" : rule.label()));
        }
        return met;
    }

    /** The counter of the only match. */
    public static String counter(WrittenRules rules, Request request) {
        Matches matches = match(rules, request);
        if (matches.size() != 1) {
            throw new AssertionError(matches.size() + " matches, not one");
        }
        return Long.toHexString(matches.get(0).key0())
                + Long.toHexString(matches.get(0).key1());
    }
}
