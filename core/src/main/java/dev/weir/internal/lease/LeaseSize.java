package dev.weir.internal.lease;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;
import java.util.concurrent.TimeUnit;

/**
 * How many hits of one counter to lease, and for how long.
 *
 * <pre>
 *   size = what is spent here in a lease_interval, and no less than a few hits if they are spent within a hundredth of the window
 *   size ≤ half of this process's {@linkplain SharedCounterView share} of the room that is left
 * </pre>
 *
 * So a lease lasts about an interval while there is plenty, and a window that runs dry is asked hit by hit, until it denies. Of a bucket
 * in a {@linkplain BucketExhaustion dry spell} it is our share of what flowed in.
 */
final class LeaseSize {
    /** The least that is worth a lease, if the counter is spent fast enough. */
    private static final long FEW = 8;

    private static final long SECOND = 1_000_000_000;
    private static final long LONGEST = 5 * SECOND;
    private static final long LONGEST_OF_HIGH_LIMITS = 2 * SECOND;
    private static final long HIGH_LIMIT = 1_000;
    /**
     * What lies in leases when the counter has run dry is missing to the nodes that hold none: no more than a hundredth of what a window
     * takes.
     */
    private static final long OF_WINDOW = 100;

    /** A lease lives no shorter than so many intervals, for traffic comes in bunches. */
    private static final long INTERVALS = 4;

    private final SharedCounterView view;
    private final BucketExhaustion drySpell;
    private final SpendRate pace = new SpendRate();
    /** How long hits may lie in a lease before they are spent. */
    private final long patience;

    private final long interval;
    private final long longest;
    private long spent;
    private long ttl;

    LeaseSize(Limit limit, long intervalMicros, SharedCounterView view) {
        this.view = view;
        this.patience = limit.windowMicros() / OF_WINDOW * 1_000;
        this.interval = Math.max(1, Math.min(TimeUnit.MICROSECONDS.toNanos(intervalMicros), patience));
        this.longest = limit.capacity() >= HIGH_LIMIT ? LONGEST_OF_HIGH_LIMITS : LONGEST;
        this.drySpell = new BucketExhaustion(limit, interval, patience);
    }

    /** Takes in that a store answered an ask of {@code asked}, when one request takes {@code request} hits. */
    void learn(Outcome outcome, long request, long asked) {
        drySpell.learn(outcome, FEW * request, view, asked);
    }

    /** How long nobody here asks, from {@code now} on, for the bucket has run dry; 0 or less if anybody may. */
    long rest(long now) {
        return drySpell.left(now);
    }

    /** How many to ask for at {@code now}, when {@code spentSoFar} were spent here and one request takes {@code request}; 0 for none. */
    long next(long spentSoFar, long request, long now) {
        pace.add(spentSoFar - spent, now);
        spent = spentSoFar;
        long size = drySpell.isDry() ? ofDry(request, now) : ofFull(request, now);
        size -= size % request;
        if (size < 2 * request) {
            return 0;
        }
        ttl = Math.min(longest, Math.max(INTERVALS * interval, 2 * pace.timeFor(size, interval)));
        return size;
    }

    private long ofFull(long request, long now) {
        long few = Math.min(FEW * request, pace.in(Math.min(longest / 2, patience), interval));
        return Math.min(Math.max(pace.in(interval, interval), few), view.fairPart(now));
    }

    private long ofDry(long request, long now) {
        return Math.min(Math.max(pace.in(drySpell.waits(), interval), FEW * request), view.inflowPart(now));
    }

    /** How long what was asked for last may be spent, nanoseconds. */
    long ttl() {
        return ttl;
    }
}
