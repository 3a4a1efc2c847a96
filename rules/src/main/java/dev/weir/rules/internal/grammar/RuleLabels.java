package dev.weir.rules.internal.grammar;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Labels for people: the name of a rule, else what it matches, with as much more as is needed to tell rules apart. */
final class RuleLabels {
    private final Map<String, Integer> matches = new HashMap<>();
    private final Map<String, Integer> keyed = new HashMap<>();

    RuleLabels(List<ParsedRule> rules) {
        for (ParsedRule each : rules) {
            if (each.name().isEmpty()) {
                matches.merge(each.matchText(), 1, Integer::sum);
                keyed.merge(keyed(each), 1, Integer::sum);
            }
        }
    }

    String of(ParsedRule rule) {
        if (!rule.name().isEmpty()) {
            return rule.name();
        }
        if (matches.getOrDefault(rule.matchText(), 0) <= 1) {
            return rule.matchText();
        }
        boolean unique = keyed.getOrDefault(keyed(rule), 0) <= 1;
        return unique ? keyed(rule) : keyed(rule) + " " + rule.limit().algorithm();
    }

    private static String keyed(ParsedRule rule) {
        return rule.matchText() + " " + rule.keyText();
    }
}
