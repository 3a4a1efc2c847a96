package dev.weir.internal.algorithm;

import dev.weir.Limit;
import org.jspecify.annotations.Nullable;

/** Compiles limits into meters, and explains which limits cannot be counted exactly. */
public final class Meters {
    /** The coarsest tick, in microseconds, that a limit may be counted in. */
    static final long COARSEST_TICK = 1_000;

    private Meters() {}

    /**
     * Compiles {@code limit} into its meter.
     *
     * @throws IllegalArgumentException if there is a {@link #refusal}
     */
    public static Meter of(Limit limit) {
        String refusal = refusal(limit);
        if (refusal != null) {
            throw new IllegalArgumentException(refusal);
        }
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> new TokenBucket(limit);
            case GCRA -> new Gcra(limit);
            case LEAKY_BUCKET -> new LeakyBucket(limit);
            case FIXED_WINDOW -> new FixedWindow(limit);
            case SLIDING_WINDOW -> limit.subWindows() == 1 ? new SlidingWindow(limit) : new SubWindows(limit);
            case SLIDING_WINDOW_LOG -> new SlidingWindowLog(limit);
            case CONCURRENCY -> new PermitSet(limit);
        };
    }

    /** The reason why {@code limit} cannot be counted exactly, with a remedy; null if it can. */
    public static @Nullable String refusal(Limit limit) {
        if (limit.windowMicros() > ExactMath.LAST_MOMENT / 2) {
            String most = "<= " + ExactMath.LAST_MOMENT / 2 + " microseconds, some 26062 days";
            return expected("window", limit.windowMicros(), most);
        }
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, GCRA, LEAKY_BUCKET -> Bucket.refusal(limit);
            case FIXED_WINDOW -> FixedWindow.refusal(limit);
            case SLIDING_WINDOW -> limit.subWindows() == 1 ? SlidingWindow.refusal(limit) : SubWindows.refusal(limit);
            case SLIDING_WINDOW_LOG -> SlidingWindowLog.refusal(limit);
            case CONCURRENCY -> PermitSet.refusal(limit);
        };
    }

    static String expected(String what, long value, String expected) {
        return what + ": " + value + " (expected: " + expected + ")";
    }

    static String inexact(Limit limit, String how, String remedy) {
        return limit.requests() + " requests in " + limit.windowMicros() + " microseconds " + how
                + " cannot be counted exactly (expected: " + remedy + ")";
    }
}
