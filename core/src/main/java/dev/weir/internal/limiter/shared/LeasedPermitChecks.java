package dev.weir.internal.limiter.shared;

import dev.weir.TimeSource;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.lease.LeasedPermits;
import dev.weir.internal.lease.PermitLease;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a request whose permits this process counts by itself. Permits that its level covers are taken here. For
 * others the store is asked, together with the other checks of the request. If the request is denied, they are released.
 */
final class LeasedPermitChecks {
    private final CounterKey key = new CounterKey();
    private @Nullable PermitLease[] leases = new PermitLease[2];
    /** The hits that a store is asked for, and whose answer is awaited. */
    private long[] asked = new long[2];
    /** The ids of permits that were taken here; 0 for none. */
    private long[] taken = new long[2];

    private int size;

    /** Finds the checks of {@code pending} whose permits are counted here; returns whether there are any. */
    boolean find(InFlightDecision pending, LeasedPermits permits) {
        Checks checks = pending.checks;
        size = checks.size();
        if (leases.length < size) {
            leases = new PermitLease[size];
            asked = new long[size];
            taken = new long[size];
        }
        boolean any = false;
        for (int i = 0; i < size; i++) {
            Check check = checks.get(i);
            if (isLeased(check)) {
                leases[i] = permits.use(check, key);
                any = true;
            }
        }
        return any;
    }

    private static boolean isLeased(Check check) {
        return check.meter instanceof PermitLevels && check.store != Check.LOCAL && check.hits != 0;
    }

    /** Whether {@code check}, at {@code index}, should be counted here and cannot. */
    boolean isUncounted(int index, Check check) {
        return index < size && leases[index] == null && isLeased(check);
    }

    /** Whether the check at {@code index} is counted here. */
    boolean has(int index) {
        return index < size && leases[index] != null;
    }

    /** Whether the check at {@code index} is denied because the store had no room a moment ago. */
    boolean rests(int index, Check check, InFlightDecision pending) {
        PermitLease lease = index < size ? leases[index] : null;
        return lease != null && lease.rests(check, pending.askedNanos, pending.askedWall);
    }

    /**
     * Takes what the level covers, if this process {@code may} decide without the store, and releases what is given back;
     * returns whether there was any. Other checks stay open.
     */
    boolean take(InFlightDecision pending, boolean may) {
        boolean any = false;
        for (int i = 0; i < size; i++) {
            PermitLease lease = leases[i];
            Check check = pending.checks.get(i);
            if (lease == null || !pending.states.isOpen(i)) {
                continue;
            }
            boolean done = check.hits < 0;
            if (done) {
                lease.releaseOldest(-check.hits, pending.askedNanos);
                lease.tell(check.outcome, true);
            } else if (may && check.meter instanceof PermitLevels levels) {
                done = lease.take(check, pending.askedNanos, pending.askedWall);
                taken[i] = done ? levels.firstId() : 0;
            }
            if (done) {
                check.leased = true;
                check.failure = null;
                pending.states.settled(i);
                any = true;
            }
        }
        return any;
    }

    /** Makes the checks that are open asks for a higher level. */
    void ask(InFlightDecision pending) {
        for (int i = 0; i < size; i++) {
            PermitLease lease = leases[i];
            Check check = pending.checks.get(i);
            if (lease != null && pending.states.isOpen(i) && check.hits > 0) {
                lease.ask(check, pending.askedNanos);
                asked[i] = check.hits;
            }
        }
    }

    /**
     * Records a store's answer {@code from} to the check at {@code index}; {@code passed} tells whether the other checks
     * of that place passed. Returns false if it has none that can be used.
     */
    boolean answered(InFlightDecision pending, int index, Check from, boolean passed, TimeSource time) {
        PermitLease lease = leases[index];
        if (lease == null || asked[index] == 0) {
            return from.failure == null;
        }
        asked[index] = 0;
        boolean takes = passed && from.failure == null && from.outcome.allowed;
        boolean held =
                lease.answered(from, takes, pending.askedNanos, pending.askedWall, time.nanos(), time.wallMicros());
        if (held && from.meter instanceof PermitLevels levels) {
            taken[index] = levels.firstId();
            lease.tell(pending.checks.get(index).outcome, true);
        }
        return from.failure == null && held == takes;
    }

    /** Releases the permits that were taken, because the request is denied. */
    void putBack(long now) {
        for (int i = 0; i < size; i++) {
            PermitLease lease = leases[i];
            if (lease != null && taken[i] != 0) {
                lease.release(taken[i], now);
                taken[i] = 0;
            }
        }
    }

    /** Asks in the background for higher levels where they run low. */
    void refill(LeasedPermits permits, long now) {
        for (int i = 0; i < size; i++) {
            PermitLease lease = leases[i];
            if (lease != null && taken[i] != 0) {
                permits.refill(lease, now);
            }
        }
    }

    /** Leaves the leases. A place that was not asked, because another one denied, owes no answer. */
    void end() {
        for (int i = 0; i < size; i++) {
            PermitLease lease = leases[i];
            if (lease != null && asked[i] > 0) {
                lease.cancel(asked[i]);
            }
            if (lease != null) {
                lease.leave();
            }
        }
        Arrays.fill(leases, 0, size, null);
        Arrays.fill(asked, 0, size, 0);
        Arrays.fill(taken, 0, size, 0);
        size = 0;
    }
}
