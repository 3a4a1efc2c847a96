package dev.weir.simulation.clock;

import dev.weir.TimeSource;
import java.util.function.LongUnaryOperator;

/** The clocks of one machine: a wall clock that may be off, and a monotonic clock with any origin; both may drift. */
public final class MachineClock implements TimeSource {
    /** The time of a correct clock when a run starts: 2026-01-01, the start of a window of any usual length. */
    public static final long EPOCH_MICROS = 1_767_225_600_000_000L;

    private static final long MILLION = 1_000_000;

    private final Timeline timeline;
    private final long skewMicros;
    private final long originNanos;
    private final long driftMillionths;
    private final LongUnaryOperator monotonic;

    /** A clock that is {@code skewMicros} ahead, and runs fast by {@code driftMillionths}. */
    public MachineClock(Timeline timeline, long skewMicros, long originNanos, long driftMillionths) {
        this(timeline, skewMicros, originNanos, driftMillionths, LongUnaryOperator.identity());
    }

    private MachineClock(
            Timeline timeline, long skewMicros, long originNanos, long driftMillionths, LongUnaryOperator monotonic) {
        this.timeline = timeline;
        this.skewMicros = skewMicros;
        this.originNanos = originNanos;
        this.driftMillionths = driftMillionths;
        this.monotonic = monotonic;
    }

    /** A copy with a wrong monotonic clock, for a test that plants a mistake. */
    public MachineClock broken(LongUnaryOperator shown) {
        return new MachineClock(timeline, skewMicros, originNanos, driftMillionths, shown);
    }

    @Override
    public long micros() {
        return EPOCH_MICROS + skewMicros + elapsed() / 1_000;
    }

    @Override
    public long nanos() {
        return originNanos + monotonic.applyAsLong(elapsed());
    }

    /** The real time in which this clock advances by {@code nanos}. */
    public long realNanos(long nanos) {
        return nanos - nanos * driftMillionths / MILLION;
    }

    private long elapsed() {
        long now = timeline.now();
        return now + now / MILLION * driftMillionths;
    }
}
