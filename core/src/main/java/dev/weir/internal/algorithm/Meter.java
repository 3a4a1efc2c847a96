package dev.weir.internal.algorithm;

import dev.weir.Limit;

/**
 * A limit compiled for counting: the pure function {@code (state, now, hits) -> (state', outcome)}. All-zero state is a
 * counter that was never used. Negative hits give back, down to nothing used, and always pass; 0 hits ask.
 */
public abstract sealed class Meter permits SlotMeter, BlockMeter {
    /** {@link #returnable} of what may be given back at any time, microseconds. */
    static final long ALWAYS = 1L << 50;

    private final Limit limit;

    Meter(Limit limit) {
        this.limit = limit;
    }

    public final Limit limit() {
        return limit;
    }

    /** How it counts. */
    public abstract MeterKind counting();

    /** The whole numbers below 2^53 that decide, in the order in which {@link MeterKind} lists them: what a twin needs. */
    public abstract long[] numbers();

    /**
     * For how long hits that were taken, with {@code taken} as things stood then, may be given back, nanoseconds: later they would be
     * room in a window that they were not taken from, and let more pass there than its limit.
     */
    public final long returnableNanos(Outcome taken) {
        return 1_000 * Math.min(returnable(taken), ALWAYS);
    }

    /** The same in microseconds. What has no window that ends takes hits back whenever they come. */
    long returnable(Outcome taken) {
        return ALWAYS;
    }

    /** The tick that this limit is counted in, microseconds: time is rounded down to it. */
    public abstract long tickMicros();
}
