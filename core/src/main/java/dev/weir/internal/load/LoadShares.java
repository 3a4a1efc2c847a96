package dev.weir.internal.load;

import dev.weir.Limit;
import dev.weir.internal.algorithm.ScaledLimit;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.ReputationScale.Step;
import dev.weir.internal.model.Rule;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The share of their limits that is in force for all rules with the same curve. A share falls at once, and rises by 2.5 %
 * of the limit every ten seconds: callers that return all at once would bring the load back. Not thread-safe; time is a
 * parameter, in nanoseconds.
 */
public final class LoadShares {
    private static final int STEP = 25;
    private static final long STEP_NANOS = Duration.ofSeconds(10).toNanos();

    private Map<LoadCurve, State> states = new HashMap<>();

    /** A share in thousandths, and when the load last asked for it or for less. */
    private record State(int share, long since) {}

    /**
     * Computes the shares of {@code curves} anew, and returns whether one changed.
     *
     * @param load the utilisation of a service; NaN if nobody tells it
     */
    public boolean update(Collection<LoadCurve> curves, ToDoubleFunction<String> load, long now) {
        Map<LoadCurve, State> next = new HashMap<>();
        boolean changed = false;
        for (LoadCurve curve : curves) {
            State before = states.getOrDefault(curve, new State(LoadCurve.WHOLE, now));
            double utilisation = load.applyAsDouble(curve.service());
            int wanted = Double.isNaN(utilisation) ? LoadCurve.WHOLE : curve.shareAt(utilisation);
            State after = before;
            if (wanted <= before.share()) {
                after = new State(wanted, now);
            } else if (now - before.since() >= STEP_NANOS) {
                after = new State(Math.min(wanted, before.share() + STEP), now);
            }
            changed |= after.share() != before.share();
            next.put(curve, after);
        }
        states = next;
        return changed;
    }

    /** The shares that are in force. */
    public Map<LoadCurve, Integer> all() {
        Map<LoadCurve, Integer> shares = new HashMap<>();
        states.forEach((curve, state) -> shares.put(curve, state.share()));
        return shares;
    }

    /** Returns {@code rule} with the share of its limits that {@code inForce} has for its curve. */
    public static Rule apply(Rule rule, Map<LoadCurve, Integer> inForce) {
        LoadCurve curve = rule.follows();
        Limit limit = rule.limit();
        int share = curve == null ? LoadCurve.WHOLE : inForce.getOrDefault(curve, LoadCurve.WHOLE);
        return limit == null || share == LoadCurve.WHOLE ? rule : scaled(rule, limit, share);
    }

    /** Returns {@code rule} with {@code share} thousandths of its limits, or with a little less. */
    public static Rule scaled(Rule rule, Limit limit, int share) {
        long cost = rule.cost();
        int countable = ScaledLimit.countableShare(limit, share, cost);
        ReputationScale reputation = rule.reputation();
        ReputationScale scaled = reputation == null
                ? null
                : reputation.with(each -> {
                    int less = ScaledLimit.countableShare(each.limit(), share, cost);
                    return new Step(each.score(), each.share(), ScaledLimit.at(each.limit(), less, cost));
                });
        return rule.underLoad(ScaledLimit.at(limit, countable, cost), scaled, countable);
    }
}
