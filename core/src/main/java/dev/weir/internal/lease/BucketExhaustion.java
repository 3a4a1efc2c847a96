package dev.weir.internal.lease;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;

/**
 * Detects an exhausted bucket: callers want more than flows in, so a process that asks for every hit would ask all the
 * time and get one at most. While the bucket is exhausted, this process asks once per wait and takes the hits that have
 * flowed in for it by then. In between it denies requests that it holds no hits for, and says when it asks again.
 *
 * <pre>
 *   wait      = a lease_interval, or until a few hits have flowed in for this process
 *   wait      ≤ a second, a hundredth of the window, and the time in which a quarter of the bucket flows in
 *   exhausted = less is left than flows in during a wait, since a denial or since a hundredth of the bucket was left
 * </pre>
 *
 * <p>Hits that are not taken yet stay in the bucket, so none is lost. A bucket that gets less than one hit in that time
 * is never treated as exhausted, because there a denial lasts longer by itself. Neither are windows, which get nothing
 * until they end.
 */
final class BucketExhaustion {
    private static final long LONGEST = 1_000_000_000;
    /** In a wait at most a quarter of the bucket flows in, because a full bucket loses further inflow. */
    private static final long QUARTER = 4;
    /** A process that asks hit by hit for the last hundredth of a bucket takes hits that others wait for. */
    private static final long HUNDREDTH = 100;

    private final Limit limit;
    private final boolean flows;
    private final long least;
    private final long most;
    private boolean exhausted;
    private long wait;
    /** Read without a lock. */
    private volatile long until;

    /**
     * For a counter of {@code limit}, leased for an {@code interval}, whose hits may stay unspent for {@code patience};
     * nanoseconds.
     */
    BucketExhaustion(Limit limit, long interval, long patience) {
        this.limit = limit;
        this.flows = limit.algorithm().isBucket() && limit.requests() > 0;
        long fills = flows ? Fractions.of(limit.windowMicros(), limit.capacity(), limit.requests()) : 0;
        long bearable = Math.min(LONGEST, Math.min(LONGEST, fills / QUARTER) * 1_000);
        this.least = Math.min(interval, bearable);
        this.most = Math.min(Math.max(interval, patience), bearable);
        this.wait = least;
    }

    /**
     * Records the answer to an ask at {@code asked}; {@code few} hits are worth asking for, and {@code view} knows our
     * share.
     */
    void learn(Outcome outcome, long few, SharedCounterView view, long asked) {
        if (!flows || outcome.retryAfter == Outcome.NEVER) {
            return;
        }
        wait = Math.max(least, Math.min(most, view.timeFor(few)));
        long inflow = Fractions.of(limit.requests(), wait / 1_000, limit.windowMicros());
        boolean low = exhausted || !outcome.allowed || outcome.remaining < limit.capacity() / HUNDREDTH;
        exhausted = low && outcome.remaining < inflow;
        until = exhausted ? asked + wait : asked;
    }

    boolean isExhausted() {
        return exhausted;
    }

    /** The time from one ask to the next. */
    long waitNanos() {
        return wait;
    }

    /** How long after {@code now} this process does not ask; 0 or less if it may. */
    long left(long now) {
        return until == 0 ? 0 : until - now;
    }
}
