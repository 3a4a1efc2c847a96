package dev.weir.internal.algorithm;

import dev.weir.Limit;

/** Computes a share of a limit that can still be counted exactly, and that a single request still fits in. */
public final class ScaledLimit {
    /** The whole limit, in thousandths. */
    public static final int WHOLE = 1_000;
    /** Numbers that are less round may be impossible to count; then the next smaller share is tried. */
    private static final int TRIES = 200;

    private ScaledLimit() {}

    /**
     * Returns {@code share}, in thousandths, or the next smaller one at which {@code limit} can be counted; all of it if
     * there is none.
     *
     * @param cost the hits of one request
     */
    public static int countableShare(Limit limit, int share, long cost) {
        for (int each = share; each > 0 && each > share - TRIES; each--) {
            if (Meters.refusal(at(limit, each, cost)) == null) {
                return each;
            }
        }
        return WHOLE;
    }

    /** Returns {@code share} thousandths of {@code limit}. */
    public static Limit at(Limit limit, int share, long cost) {
        if (share == WHOLE) {
            return limit;
        }
        return new Limit(
                limit.algorithm(),
                scaled(limit.requests(), share, cost),
                limit.windowMicros(),
                scaled(limit.burst(), share, cost),
                limit.subWindows(),
                limit.calendar(),
                (long) ((double) limit.credit() * share / WHOLE));
    }

    private static long scaled(long hits, int share, long cost) {
        return Math.max(Math.min(hits, cost), (long) ((double) hits * share / WHOLE));
    }
}
