package dev.weir.server.load;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.Rule;

/** Computes a share of a rule's limit that can still be counted exactly, and that a single request still fits in. */
final class ScaledLimit {
    /** Numbers that are less round may be impossible to count; then the next smaller share is tried. */
    private static final int TRIES = 200;

    private ScaledLimit() {}

    /** Returns {@code rule} with {@code share} thousandths of its limit, or with a little less. */
    static Rule of(Rule rule, Limit limit, int share) {
        for (int each = share; each > 0 && each > share - TRIES; each--) {
            Limit scaled = scaled(limit, each, rule.cost());
            if (Meters.refusal(scaled) == null) {
                return rule.underLoad(scaled, each);
            }
        }
        return rule;
    }

    private static Limit scaled(Limit limit, int share, long cost) {
        return new Limit(
                limit.algorithm(),
                scaled(limit.requests(), share, cost),
                limit.windowMicros(),
                scaled(limit.burst(), share, cost),
                limit.subWindows(),
                limit.calendar());
    }

    private static long scaled(long hits, int share, long cost) {
        return Math.max(Math.min(hits, cost), (long) ((double) hits * share / LoadCurve.WHOLE));
    }
}
