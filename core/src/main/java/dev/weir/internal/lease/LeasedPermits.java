package dev.weir.internal.lease;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.TimeSource;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.runtime.HeapShare;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.InFlightAsks;
import dev.weir.internal.store.SharedStore;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The permits that this process counts by itself, for rules with {@code consistency: leased}. Nothing has a timer:
 * {@link #tick} is called periodically.
 */
public final class LeasedPermits {
    /** How long a store may take to answer a report, for which no request waits, nanoseconds. */
    private static final long REPORT_NANOS = 1_000_000_000L;

    /** The most entries of permits, each for one or more permits. */
    private static final int MOST_ENTRIES = (int) (HeapShare.LEASED_PERMITS.ofThisHeap() / HeapShare.PERMIT_BYTES);

    private final ConcurrentHashMap<CounterKey, PermitLease> byKey = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, PermitLease> byName = new ConcurrentHashMap<>();
    private final IntFunction<SharedStore> stores;
    private final TimeSource time;
    private final CounterBudget budget;
    private final InFlightAsks inFlight = new InFlightAsks();
    /** Tells this process from others, and from itself before a restart. */
    private final long node = 1 + (new SecureRandom().nextLong() >>> 13);

    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger entries = new AtomicInteger();
    private volatile boolean closed;

    /**
     * Creates the permits of limits in {@code stores}, which are given by index.
     *
     * @param budget places for limits that are in use here
     */
    public LeasedPermits(IntFunction<SharedStore> stores, TimeSource time, CounterBudget budget) {
        this.stores = stores;
        this.time = time;
        this.budget = budget;
    }

    /** The id of this process, which its permits carry. */
    public long node() {
        return node;
    }

    /** The number of the next ask; no other of this process has it. */
    long nextNumber() {
        return numbers.incrementAndGet();
    }

    /** The limits that this process has permits of, or had a moment ago. */
    public int size() {
        return byName.size();
    }

    /** The permits that are in flight, approximately. */
    public long held() {
        return byName.values().stream().mapToLong(PermitLease::inFlight).sum();
    }

    /**
     * The lease of {@code check}, which is made if there is none; null if there is no place for it. The caller must
     * {@linkplain PermitLease#leave leave} it.
     */
    public @Nullable PermitLease use(Check check, CounterKey key) {
        if (check.hits > 0 && entries.get() >= MOST_ENTRIES) {
            return null;
        }
        while (true) {
            PermitLease found = byKey.get(key.set(check.key0, check.key1));
            found = found == null ? add(check, new CounterKey().set(check.key0, check.key1)) : found;
            if (found == null || found.enter()) {
                return found;
            }
            forget(found); // another thread found that it is over
        }
    }

    /** The lease of {@code check} if there is one; {@code key} is a buffer for the lookup. */
    public @Nullable PermitLease peek(Check check, CounterKey key) {
        return byKey.get(key.set(check.key0, check.key1));
    }

    private @Nullable PermitLease add(Check check, CounterKey key) {
        PermitLease lease =
                named(check, Objects.requireNonNull(check.meter, "meter").limit());
        if (lease != null) {
            lease.isOf(check);
            byKey.put(key, lease);
        }
        return lease;
    }

    private @Nullable PermitLease named(Check check, Limit limit) {
        String name = check.store + " " + check.name;
        PermitLease known = byName.get(name);
        if (known != null) {
            return known;
        }
        if (!budget.take()) {
            return null;
        }
        PermitLease made = new PermitLease(this, check, name, limit, now());
        PermitLease other = byName.putIfAbsent(name, made);
        if (other != null) {
            budget.leave();
        }
        return other == null ? made : other;
    }

    private void forget(PermitLease lease) {
        byKey.values().remove(lease);
        if (byName.remove(lease.name(), lease)) {
            budget.leave();
        }
    }

    /** Releases {@code permit}; returns false if it is not in flight, or cannot be released now. */
    public boolean release(HeldPermit permit) {
        PermitLease lease = lease(permit);
        if (permit.node() == node) {
            return lease != null && lease.release(permit.firstId(), now());
        }
        return mail(lease, permit, permit.firstId());
    }

    /**
     * Calls {@code then} when the level that counts {@code permit} is as new as it can be: now, or after a report. Permits
     * of other processes need none.
     */
    public void whenRenewable(HeldPermit permit, Runnable then) {
        PermitLease lease = permit.node() == node ? lease(permit) : null;
        if (lease == null || lease.canRenew(now(), time.wallMicros()) || !lease.afterReport(then)) {
            then.run();
        } else if (!report(lease, true) && !lease.isReporting()) {
            lease.ranReport(); // nothing is in flight
        }
    }

    /** Whether a permit of this process, or of another, can be renewed at the moment. */
    public boolean canRenew(HeldPermit permit) {
        PermitLease lease = permit.node() == node ? lease(permit) : null;
        return lease == null || lease.canRenew(now(), time.wallMicros());
    }

    /** Renews {@code permit}; returns false if it is not in flight. */
    public boolean renew(HeldPermit permit) {
        PermitLease lease = lease(permit);
        if (permit.node() == node) {
            return lease != null && lease.renew(permit.firstId(), now());
        }
        return mail(lease, permit, permit.firstId() + PermitLevels.RENEWS);
    }

    private @Nullable PermitLease lease(HeldPermit permit) {
        return byName.get(permit.store() + " " + permit.name());
    }

    /** Leaves an entry for the node that counts {@code permit}. */
    private boolean mail(@Nullable PermitLease known, HeldPermit permit, long entry) {
        PermitLease lease = known;
        if (lease == null) {
            Check check = new Check();
            check.key0 = permit.key0();
            check.key1 = permit.key1();
            check.name.append(permit.name().getBytes(StandardCharsets.US_ASCII));
            check.name.subject(permit.subject());
            check.store = permit.store();
            Limit limit = new Limit(Algorithm.CONCURRENCY, permit.count(), permit.ttlMicros(), permit.count(), 1);
            lease = named(check, limit);
        }
        boolean mailed = lease != null && lease.mail(permit.node(), entry);
        if (mailed && lease != null && lease.isBusy()) {
            report(lease, true);
        }
        return mailed;
    }

    /** Sends what is due, and forgets limits that are not in use. */
    public void tick() {
        for (PermitLease each : byName.values()) {
            if (each.isOver(now())) {
                forget(each);
            } else {
                report(each, false);
            }
        }
    }

    /** Reports in the background if that is urgent. */
    public void refill(PermitLease lease, long now) {
        if (lease.isUrgent(now)) {
            report(lease, true);
        }
    }

    /** Sends a report if there is anything to tell; returns whether there is. */
    private boolean report(PermitLease lease, boolean forced) {
        PermitReport report = lease.report(now(), time.wallMicros(), forced);
        if (report != null) {
            report.deadlineNanos = now() + REPORT_NANOS;
            report.patienceNanos = REPORT_NANOS;
            inFlight.sent();
            stores.apply(lease.like().store).decide(report);
        }
        return report != null;
    }

    /** Forgets the counter of {@code check}, which its store has forgotten. */
    public void forget(Check check) {
        PermitLease lease = byKey.get(new CounterKey().set(check.key0, check.key1));
        if (lease != null) {
            lease.forget();
        }
    }

    /** Keeps no more permits than those in flight; completes when the stores have answered. */
    public CompletionStage<Void> close() {
        closed = true;
        return inFlight.noneAfter(() -> byName.values().forEach(each -> report(each, true)));
    }

    /** Counts entries that a lease has added or removed. */
    void entries(int more) {
        entries.addAndGet(more);
    }

    boolean isClosed() {
        return closed;
    }

    /** Counts a report as answered; {@code again} asks for the next one at once. */
    void reported(PermitLease lease, boolean again) {
        if (again) {
            report(lease, true);
        }
        lease.ranReport();
        inFlight.answered();
    }

    long now() {
        return time.nanos();
    }
}
