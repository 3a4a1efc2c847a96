package dev.weir.internal.lease;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.model.Rule;
import java.util.concurrent.TimeUnit;

/**
 * Decides how many hits of one counter to lease, and for how long.
 *
 * <pre>
 *   size = hits spent here in a lease_interval,
 *          and no less than a few hits if they are spent within a hundredth of the window
 *   size ≤ half of this process's {@linkplain SharedCounterView share} of the hits left
 * </pre>
 *
 * <p>So a lease lasts about an interval while there is plenty, and a window that is nearly used up is asked hit by hit
 * until it denies. For an {@linkplain BucketExhaustion exhausted} bucket the size is our share of the inflow.
 */
final class LeaseSize {
    /** The smallest lease worth asking for, in requests, if the counter is spent fast enough. */
    private static final long FEW = 8;

    private static final long SECOND = 1_000_000_000;
    private static final long LONGEST = 5 * SECOND;
    private static final long LONGEST_OF_HIGH_LIMITS = 2 * SECOND;
    private static final long HIGH_LIMIT = 1_000;
    /**
     * The largest share of a window that may sit in leases, as a divisor: a hundredth. When the counter is used up,
     * nodes without a lease miss these hits.
     */
    private static final long OF_WINDOW = 100;

    /** The same for leases from another region, which a server waits for much longer. */
    private static final long OF_WINDOW_GLOBAL = 10;

    /** The shortest lease from another region, nanoseconds: about four round trips to another continent. */
    private static final long GLOBAL_INTERVAL = 400_000_000;

    /** A lease lives at least this many intervals, because traffic is bursty. */
    private static final long INTERVALS = 4;

    private final SharedCounterView view;
    private final BucketExhaustion exhaustion;
    private final SpendRate spendRate = new SpendRate();
    /** How long hits may stay in a lease before they are spent. */
    private final long patience;

    private final long interval;
    private final long longest;
    private long spent;
    private long ttl;

    LeaseSize(Limit limit, Rule rule, SharedCounterView view) {
        boolean global = rule.scope().isGlobal();
        long given = TimeUnit.MICROSECONDS.toNanos(rule.leaseIntervalMicros());
        this.view = view;
        this.patience = limit.windowMicros() / (global ? OF_WINDOW_GLOBAL : OF_WINDOW) * 1_000;
        this.interval = Math.max(1, Math.min(global ? Math.max(given, GLOBAL_INTERVAL) : given, patience));
        this.longest = limit.capacity() >= HIGH_LIMIT ? LONGEST_OF_HIGH_LIMITS : LONGEST;
        this.exhaustion = new BucketExhaustion(limit, interval, patience);
    }

    /** Records a store's answer to an ask at {@code asked}, when one request takes {@code request} hits. */
    void learn(Outcome outcome, long request, long asked) {
        exhaustion.learn(outcome, FEW * request, view, asked);
    }

    /** How long after {@code now} this process does not ask, because the bucket is exhausted; 0 or less if it may. */
    long rest(long now) {
        return exhaustion.left(now);
    }

    /**
     * How many hits to ask for at {@code now}; 0 for none. {@code spentSoFar} were spent here, and one request takes
     * {@code request}.
     */
    long next(long spentSoFar, long request, long now) {
        spendRate.add(spentSoFar - spent, now);
        spent = spentSoFar;
        long size = exhaustion.isExhausted() ? ofInflow(request, now) : ofHitsLeft(request, now);
        size -= size % request;
        if (size < 2 * request) {
            return 0;
        }
        ttl = Math.min(longest, Math.max(INTERVALS * interval, 2 * spendRate.timeFor(size, interval)));
        return size;
    }

    private long ofHitsLeft(long request, long now) {
        long few = Math.min(FEW * request, spendRate.in(Math.min(longest / 2, patience), interval));
        return Math.min(Math.max(spendRate.in(interval, interval), few), view.fairShare(now));
    }

    private long ofInflow(long request, long now) {
        return Math.min(Math.max(spendRate.in(exhaustion.waitNanos(), interval), FEW * request), view.inflowShare(now));
    }

    /** How long the last requested lease may be spent, nanoseconds. */
    long ttl() {
        return ttl;
    }
}
