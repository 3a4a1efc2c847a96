package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Limit;
import dev.weir.internal.model.Rule;
import dev.weir.text.diagnostics.DiagnosticCollector;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Warns of a rule that never denies because of another rule. The other matches the same requests with the same key and
 * algorithm, is at least as tight in every number, and denies every caller. Rules in shadow mode are not meant to deny
 * and are skipped.
 */
final class RedundantRuleWarnings {
    private RedundantRuleWarnings() {}

    static void warn(List<ParsedRule> rules, DiagnosticCollector problems) {
        Map<Object, ParsedRule> tightest = new HashMap<>();
        for (ParsedRule each : rules) {
            if (!each.shadow() && each.rollout() == Rule.EVERYONE) {
                tightest.merge(kind(each), each, (a, b) -> isTighter(b, a) && !isTighter(a, b) ? b : a);
            }
        }
        for (ParsedRule each : rules) {
            ParsedRule other = tightest.get(kind(each));
            if (other != null && !each.shadow() && !other.equals(each) && isTighter(other, each)) {
                String message = "rule " + quote(each.name().isEmpty() ? each.matchText() : each.name());
                String hint = "the rule at " + other.at() + " matches the same and is as tight or tighter";
                problems.warning(each.at(), message + " never denies anything", hint);
            }
        }
    }

    /** Returns what two rules must have in common to be compared by their numbers alone. */
    private static Object kind(ParsedRule rule) {
        Set<Object> match = new HashSet<>();
        rule.match().forEach(clause -> match.add(List.of(clause.attribute(), Set.copyOf(clause.texts()))));
        Limit limit = rule.limit();
        return List.of(
                match,
                rule.key(),
                limit.algorithm(),
                limit.windowMicros(),
                Objects.toString(limit.calendar()),
                rule.reserve(),
                Objects.toString(rule.follows()), // under load another one may be tighter
                Objects.toString(rule.reputation()),
                limit.subWindows(),
                rule.cost(),
                rule.behaviour(),
                rule.pricing());
    }

    private static boolean isTighter(ParsedRule one, ParsedRule other) {
        return one.limit().requests() <= other.limit().requests()
                && one.limit().burst() <= other.limit().burst()
                && one.limit().capacity() <= other.limit().capacity();
    }
}
