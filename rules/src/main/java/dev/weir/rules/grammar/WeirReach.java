package dev.weir.rules.grammar;

import static dev.weir.rules.diagnostics.Text.quote;

import dev.weir.model.Limit;
import dev.weir.model.Rule;
import dev.weir.rules.diagnostics.Problems;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Warns of a rule that can never be the one to deny: another takes the same requests, groups and counts them alike, is at
 * least as tight in every number, and denies everyone. One in shadow is not meant to deny.
 */
final class WeirReach {
    private WeirReach() {}

    static void warn(List<Draft> drafts, Problems problems) {
        Map<Object, Draft> tightest = new HashMap<>();
        for (Draft each : drafts) {
            if (!each.shadow() && each.rollout() == Rule.EVERYONE) {
                tightest.merge(kind(each), each, (a, b) -> isTighter(b, a) && !isTighter(a, b) ? b : a);
            }
        }
        for (Draft each : drafts) {
            Draft other = tightest.get(kind(each));
            if (other != null && !each.shadow() && !other.equals(each) && isTighter(other, each)) {
                String message = "rule " + quote(each.name().isEmpty() ? each.matchText() : each.name());
                String hint = "the rule at " + other.at() + " matches the same and is as tight or tighter";
                problems.warning(each.at(), message + " never denies anything", hint);
            }
        }
    }

    /** What two rules must have in common to be compared by their numbers alone. */
    private static Object kind(Draft draft) {
        Set<Object> match = new HashSet<>();
        draft.match().forEach(clause -> match.add(List.of(clause.attribute(), Set.copyOf(clause.texts()))));
        Limit limit = draft.limit();
        return List.of(
                match,
                draft.key(),
                limit.algorithm(),
                limit.windowMicros(),
                limit.subWindows(),
                draft.cost(),
                draft.behaviour());
    }

    private static boolean isTighter(Draft one, Draft other) {
        return one.limit().requests() <= other.limit().requests()
                && one.limit().burst() <= other.limit().burst();
    }
}
