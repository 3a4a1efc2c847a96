package dev.weir.internal.algorithm;

import dev.weir.Limit;

/**
 * A limit compiled for counting: the pure function {@code (state, now, hits) -> (state', outcome)}. All-zero state is a
 * counter that was never used. Negative hits give back, down to nothing used, and always pass (but see
 * {@link PermitSet}); 0 hits only ask.
 */
public abstract sealed class Meter permits SlotMeter, BlockMeter {
    /** The {@link #returnable} time of hits that may be given back at any time, microseconds. */
    static final long ALWAYS = 1L << 50;

    private final Limit limit;

    Meter(Limit limit) {
        this.limit = limit;
    }

    public final Limit limit() {
        return limit;
    }

    /** The kind of state that this meter keeps. */
    public abstract MeterKind counting();

    /**
     * The whole numbers below 2^53 that a script needs to decide alike, in the order in which {@link MeterKind} lists
     * them.
     */
    public abstract long[] numbers();

    /**
     * The time, in nanoseconds, during which hits may be given back; {@code taken} is the outcome with which they were
     * taken. After that time they would free capacity in a window that they were not taken from, and more would pass
     * there than its limit.
     */
    public final long returnableNanos(Outcome taken) {
        return 1_000 * Math.min(returnable(taken), ALWAYS);
    }

    /** The same in microseconds. Meters without a window that ends accept returned hits at any time. */
    long returnable(Outcome taken) {
        return ALWAYS;
    }

    /**
     * Whether hits that can no longer be given back are refilled by then, so that no caller lacks them.
     */
    public boolean refills() {
        return false;
    }

    /**
     * The start of the window that hits were taken from, in the store's time; {@code taken} is the outcome with which
     * they were taken. 0 for meters without a window that ends.
     */
    public long windowOf(Outcome taken) {
        return 0;
    }

    /** The tick in which this limit is counted, microseconds. Time is rounded down to it. */
    public abstract long tickMicros();
}
