package dev.weir.internal.store;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;

/**
 * Computes until when hits may be given back: as long as they surely arrive in the window from which they were taken. A
 * later give-back would add room to a window from which no hits were taken.
 *
 * <h2>The margin</h2>
 *
 * Let {@code sent} and {@code answered} be the times of the ask, by the monotonic clock of this process, and {@code R}
 * the rest of the window according to the outcome:
 *
 * <pre>
 *     until = sent + R - (answered - sent)
 * </pre>
 *
 * The store took the hits after {@code sent}, so the window ends no earlier than {@code sent + R}. The give-back
 * carries its expiry in the store's time, which this process knows to within half a round trip, so one round trip is
 * subtracted. It is sent only if the store has its usual time to answer before that: see {@link #isInTime}.
 */
public final class GiveBackMargin {
    private GiveBackMargin() {}

    /**
     * Until when hits may be given back that {@code meter} took with the outcome {@code taken}; times in nanoseconds.
     */
    public static long untilNanos(Meter meter, Outcome taken, long sentNanos, long answeredNanos) {
        return sentNanos + meter.returnableNanos(taken) - Math.max(0, answeredNanos - sentNanos);
    }

    /** Whether hits sent back at {@code now} arrive by {@code until}, if the way takes at most {@code travel}. */
    public static boolean isInTime(long untilNanos, long nowNanos, long travelNanos) {
        return untilNanos - nowNanos > travelNanos;
    }
}
