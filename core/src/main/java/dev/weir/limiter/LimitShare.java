package dev.weir.limiter;

import dev.weir.algorithm.Meters;
import dev.weir.model.Limit;

/** The part of a limit that one process enforces on its own while the shared store does not answer. */
final class LimitShare {
    private LimitShare() {}

    /** {@code millionths} of {@code limit}: rounded down, but what lets something pass still lets one. */
    static Limit of(Limit limit, int millionths) {
        Limit part = new Limit(
                limit.algorithm(),
                part(limit.requests(), millionths),
                limit.windowMicros(),
                part(limit.burst(), millionths),
                limit.subWindows());
        if (Meters.refusal(part) == null) {
            return part;
        }
        // A rate that is no exact fraction: the least there is, for never more than the share may pass.
        long least = Math.min(1, limit.requests());
        return new Limit(
                limit.algorithm(), least, limit.windowMicros(), Math.min(1, limit.burst()), limit.subWindows());
    }

    private static long part(long whole, int millionths) {
        if (whole == 0) {
            return 0;
        }
        long million = LimiterSettings.WHOLE;
        long part = whole / million * millionths + whole % million * millionths / million;
        return Math.max(1, part);
    }
}
