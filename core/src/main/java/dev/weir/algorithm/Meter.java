package dev.weir.algorithm;

import dev.weir.model.Limit;

/**
 * A limit compiled for counting: the pure function {@code (state, now, hits) -> (state', outcome)}. All-zero state is a
 * counter that was never used. Negative hits give back, down to nothing used, and always pass; 0 hits ask.
 */
public abstract sealed class Meter permits SlotMeter, BlockMeter {
    private final Limit limit;

    Meter(Limit limit) {
        this.limit = limit;
    }

    public final Limit limit() {
        return limit;
    }

    /** How it counts. */
    public abstract Counting counting();

    /** The whole numbers below 2^53 that decide, in the order in which {@link Counting} lists them: what a twin needs. */
    public abstract long[] numbers();

    /** The tick that this limit is counted in, microseconds: time is rounded down to it. */
    public abstract long tickMicros();
}
