package dev.weir.internal.match.envoy;

import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.Rule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rules of a domain in Envoy's format that replace others, by name, if a request matches both. */
final class RuleReplacements {
    /** The names that some rule replaces, numbered, so that dropping them compares no text. */
    private final Map<String, Integer> replaceable = new HashMap<>();
    /** By the rule's ordinal in the index, less the first one's. */
    private final List<Names> byRule = new ArrayList<>();

    private int firstRule;

    /** The number of the rule's own name if some rule replaces it, else -1; and the names that the rule replaces. */
    private record Names(int own, List<Integer> replaces) {}

    RuleReplacements(List<EnvoyDescriptor> descriptors) {
        collect(descriptors);
    }

    private void collect(List<EnvoyDescriptor> descriptors) {
        for (EnvoyDescriptor each : descriptors) {
            if (each.rule() != null) {
                each.rule().replaces().forEach(name -> replaceable.putIfAbsent(name, replaceable.size()));
            }
            collect(each.children());
        }
    }

    /** Adds the rules, in the order of their ordinals. */
    void add(Rule rule) {
        firstRule = byRule.isEmpty() ? rule.ordinal() : firstRule;
        byRule.add(new Names(
                nameOf(rule), rule.replaces().stream().map(replaceable::get).toList()));
    }

    private int nameOf(Rule rule) {
        // The reference never drops an unlimited rule.
        if (rule.limit() == null || rule.name().isEmpty()) {
            return -1;
        }
        return replaceable.getOrDefault(rule.name(), -1);
    }

    /**
     * Drops the rules that another rule of this request replaces. A dropped rule still replaces others; a rule that is
     * rolling out but does not apply to this caller yet replaces nothing.
     */
    void drop(Matches matches) {
        if (replaceable.isEmpty()) {
            return;
        }
        matches.replaced.clear();
        for (int i = 0; i < matches.size(); i++) {
            Match match = matches.get(i);
            Rule rule = match.rule;
            if (rule != null && !match.isSpared()) {
                List<Integer> replaces = names(rule).replaces;
                for (int j = 0; j < replaces.size(); j++) { // no iterator, which would be garbage
                    matches.replaced.set(replaces.get(j));
                }
            }
        }
        for (int i = matches.size() - 1; i >= 0 && !matches.replaced.isEmpty(); i--) {
            Rule rule = matches.get(i).rule;
            int name = rule == null ? -1 : names(rule).own;
            if (name >= 0 && matches.replaced.get(name)) {
                matches.remove(i);
            }
        }
    }

    private Names names(Rule rule) {
        return byRule.get(rule.ordinal() - firstRule);
    }
}
