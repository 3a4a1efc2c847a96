package dev.weir.internal.match.override;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.EffectiveLimit;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives callers with a bad reputation a share of a rule's limit. A limit that was set for a caller by an override, or
 * that the request carries, stays as it is.
 */
public final class ReputationMatcher {
    private final ReputationLookup lookup;
    /** The limits of each rule by the steps of its scale, by the rule's ordinal; null for a rule without a scale. */
    private final EffectiveLimit[] @Nullable [] limits;

    private ReputationMatcher(ReputationLookup lookup, EffectiveLimit[] @Nullable [] limits) {
        this.lookup = lookup;
        this.limits = limits;
    }

    /** Compiles the scales of {@code rules}; null if no rule has one. */
    public static @Nullable ReputationMatcher of(List<Rule> rules, ReputationLookup lookup) {
        if (rules.stream().allMatch(each -> each.reputation() == null)) {
            return null;
        }
        EffectiveLimit[] @Nullable [] limits = new EffectiveLimit[rules.size()][];
        for (Rule each : rules) {
            Limit limit = each.limit();
            ReputationScale scale = each.reputation();
            if (limit != null && scale != null) {
                limits[each.ordinal()] = scale.steps().stream()
                        .map(step -> new EffectiveLimit(limit, step.limit()))
                        .toArray(EffectiveLimit[]::new);
            }
        }
        return new ReputationMatcher(lookup, limits);
    }

    /** Shrinks the limits of the rules that {@code request} has met. */
    public void apply(Request request, Matches into) {
        int score = -1;
        for (int i = 0, size = into.size(); i < size; i++) {
            Match match = into.get(i);
            Rule rule = match.rule;
            EffectiveLimit[] steps = rule == null || match.override() != null ? null : limits[rule.ordinal()];
            if (rule == null || steps == null) {
                continue;
            }
            if (score < 0) {
                score = lookup.score(request);
            }
            ReputationScale scale = rule.reputation();
            int step = scale == null ? -1 : scale.stepAt(score);
            if (step >= 0) {
                match.agreed(steps[step]);
                OverrideMatcher.countApart(match, into);
            }
        }
    }
}
