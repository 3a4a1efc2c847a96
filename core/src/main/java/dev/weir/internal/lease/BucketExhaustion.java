package dev.weir.internal.lease;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;

/**
 * Whether a bucket has run dry: more is wanted of it than flows in, so whoever asks for every hit asks all the time and gets one at most.
 * While that lasts, this process asks once in a while, and takes what has flowed in for it by then; what it does not hold in between,
 * it denies, and says when it asks again.
 *
 * <pre>
 *   wait = a lease_interval, or until a few hits have flowed in for this process
 *   wait ≤ a second, a hundredth of the window, and until a quarter of the bucket has flowed in
 *   dry  = less is left than flows in during a wait, since it was denied or a hundredth of the bucket was left
 * </pre>
 *
 * What is not taken yet stays in the bucket, so none of it is lost. A bucket that lets in less than a hit in that time does not come to
 * this: there a denial lasts longer by itself. Neither do windows, which let nothing in until they end.
 */
final class BucketExhaustion {
    private static final long LONGEST = 1_000_000_000;
    /** In a wait no more than a quarter of the bucket flows in: one that is full loses what comes. */
    private static final long QUARTER = 4;
    /** Whoever asks hit by hit for the last hundredth of a bucket takes what others wait for. */
    private static final long HUNDREDTH = 100;

    private final Limit limit;
    private final boolean flows;
    private final long least;
    private final long most;
    private boolean dry;
    private long wait;
    /** Read without a lock. */
    private volatile long until;

    /** Of a counter of {@code limit} that is leased for an {@code interval}, in which hits may lie for {@code patience}; nanoseconds. */
    BucketExhaustion(Limit limit, long interval, long patience) {
        this.limit = limit;
        this.flows = limit.algorithm().isBucket() && limit.requests() > 0;
        long fills = flows ? Fractions.of(limit.windowMicros(), limit.capacity(), limit.requests()) : 0;
        long bearable = Math.min(LONGEST, Math.min(LONGEST, fills / QUARTER) * 1_000);
        this.least = Math.min(interval, bearable);
        this.most = Math.min(Math.max(interval, patience), bearable);
        this.wait = least;
    }

    /** Takes in an answer to an ask of {@code asked}, when {@code few} hits are worth asking for and {@code view} knows our share. */
    void learn(Outcome outcome, long few, SharedCounterView view, long asked) {
        if (!flows || outcome.retryAfter == Outcome.NEVER) {
            return;
        }
        wait = Math.max(least, Math.min(most, view.timeFor(few)));
        long inflow = Fractions.of(limit.requests(), wait / 1_000, limit.windowMicros());
        boolean low = dry || !outcome.allowed || outcome.remaining < limit.capacity() / HUNDREDTH;
        dry = low && outcome.remaining < inflow;
        until = dry ? asked + wait : asked;
    }

    boolean isDry() {
        return dry;
    }

    /** How long it waits from one ask to the next. */
    long waits() {
        return wait;
    }

    /** How long nobody here asks, from {@code now} on; 0 or less if anybody may. */
    long left(long now) {
        return until == 0 ? 0 : until - now;
    }
}
