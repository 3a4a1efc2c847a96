package dev.weir.internal.store;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;

/**
 * Until when hits may be given back: for as long as they surely arrive in the window that they were taken from. Later they would be room
 * in a window that nobody took them from.
 *
 * <h2>The margin</h2>
 *
 * With {@code sent} and {@code answered} as the moments of the ask, by the monotonic clock of this process, and {@code R} as what the
 * outcome says of the rest of the window:
 *
 * <pre>
 *     until = sent + R - (answered - sent)
 * </pre>
 *
 * The store took the hits after they were sent for, so the window ends no earlier than {@code sent + R}. The message that gives them back
 * carries its expiry in the store's time, which this process knows to within half a round trip: so one round trip is left off. It
 * is sent only if the store has its usual time to answer before that: see {@link #isInTime}.
 */
public final class GiveBackMargin {
    private GiveBackMargin() {}

    /** Until when hits may be under way back that {@code meter} took with {@code taken} as the outcome; moments in nanoseconds. */
    public static long untilNanos(Meter meter, Outcome taken, long sentNanos, long answeredNanos) {
        return sentNanos + meter.returnableNanos(taken) - Math.max(0, answeredNanos - sentNanos);
    }

    /** Whether hits that are sent back at {@code now} arrive by {@code until}, if that takes no longer than {@code travel}. */
    public static boolean isInTime(long untilNanos, long nowNanos, long travelNanos) {
        return untilNanos - nowNanos > travelNanos;
    }
}
