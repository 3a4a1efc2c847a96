package dev.weir.simulation.clock;

import dev.weir.TimeSource;
import java.util.function.LongUnaryOperator;

/**
 * The clocks of one machine: a wall clock that may be off, and a monotonic clock with any origin; both may drift. While
 * the machine is suspended, the monotonic clock stands still, and so does {@link #micros}, which advances by it.
 */
public final class MachineClock implements TimeSource {
    /** The time of a correct clock when a run starts: 2026-01-01, the start of a window of any usual length. */
    public static final long EPOCH_MICROS = 1_767_225_600_000_000L;

    private static final long MILLION = 1_000_000;

    private final Timeline timeline;
    private final long skewMicros;
    private final long originNanos;
    private final long driftMillionths;
    private final LongUnaryOperator shown;
    /** Whether the wall clock stands still too while the machine is suspended. */
    private final boolean wallStops;
    /** How long the monotonic clock stood still before the last suspend, and when that began and ends. */
    private long stoppedBefore;

    private long suspendedFrom;
    private long suspendedUntil;

    /** A clock that is {@code skewMicros} ahead, and runs fast by {@code driftMillionths}. */
    public MachineClock(Timeline timeline, long skewMicros, long originNanos, long driftMillionths) {
        this(timeline, skewMicros, originNanos, driftMillionths, LongUnaryOperator.identity(), false);
    }

    private MachineClock(
            Timeline timeline,
            long skewMicros,
            long originNanos,
            long driftMillionths,
            LongUnaryOperator shown,
            boolean wallStops) {
        this.timeline = timeline;
        this.skewMicros = skewMicros;
        this.originNanos = originNanos;
        this.driftMillionths = driftMillionths;
        this.shown = shown;
        this.wallStops = wallStops;
    }

    /** A copy whose monotonic and wall clocks are wrong, for a test that plants a mistake. */
    public MachineClock broken(LongUnaryOperator shown) {
        return new MachineClock(timeline, skewMicros, originNanos, driftMillionths, shown, wallStops);
    }

    /** A copy whose wall clock stands still while the machine is suspended: as if nobody looked at it. */
    public MachineClock withoutWall() {
        return new MachineClock(timeline, skewMicros, originNanos, driftMillionths, shown, true);
    }

    /** Suspends the machine for {@code nanos} from now. */
    public void suspend(long nanos) {
        long now = timeline.now();
        if (now < suspendedUntil) {
            suspendedUntil = Math.max(suspendedUntil, now + nanos);
            return;
        }
        stoppedBefore = stoppedNanos();
        suspendedFrom = now;
        suspendedUntil = now + nanos;
    }

    /** How long the monotonic clock has stood still. */
    public long stoppedNanos() {
        return stoppedBefore + Math.min(timeline.now(), suspendedUntil) - suspendedFrom;
    }

    @Override
    public long micros() {
        return EPOCH_MICROS + skewMicros + elapsed() / 1_000;
    }

    /** In whole milliseconds, as the JDK reads it. */
    @Override
    public long wallMicros() {
        long micros = EPOCH_MICROS + skewMicros + shown.applyAsLong(wallElapsed()) / 1_000;
        return micros - micros % 1_000;
    }

    @Override
    public long nanos() {
        return originNanos + shown.applyAsLong(elapsed());
    }

    /** The real time in which this clock advances by {@code nanos}. */
    public long realNanos(long nanos) {
        return nanos - nanos * driftMillionths / MILLION;
    }

    private long elapsed() {
        return drifted(timeline.now() - stoppedNanos());
    }

    private long wallElapsed() {
        return drifted(timeline.now() - (wallStops ? stoppedNanos() : 0));
    }

    private long drifted(long nanos) {
        return nanos + nanos / MILLION * driftMillionths;
    }
}
