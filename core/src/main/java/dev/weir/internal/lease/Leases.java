package dev.weir.internal.lease;

import dev.weir.TimeSource;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.InFlightAsks;
import dev.weir.internal.store.SharedStore;
import java.security.SecureRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leases of one process. It tracks only busy counters: those asked for a second time within a second. They need
 * places in the budget; without a free place, counters are asked exactly until idle ones are dropped. Nothing has a
 * timer: {@link #sweep} is called periodically.
 */
public final class Leases {
    private final ConcurrentHashMap<CounterKey, LeasedCounter> counters = new ConcurrentHashMap<>();
    private final RecentCounters recent;
    private final IntFunction<SharedStore> stores;
    private final TimeSource time;
    private final long travel;
    private final CounterBudget budget;
    private final Consumer<Check> returned;
    private final LeaseStats stats = new LeaseStats();
    /** Fetches and returns in flight. */
    private final InFlightAsks inFlight = new InFlightAsks();

    /** Distinguishes the grants of this process from those of others. */
    private final long lessee = new SecureRandom().nextLong();

    private final AtomicLong grants = new AtomicLong();

    private volatile boolean closed;

    /**
     * Creates the leases of counters in {@code stores}, which are given by index.
     *
     * @param deadlineMicros how long a store may take to answer
     * @param budget places for busy counters
     * @param recent the number of counters whose last ask is remembered
     * @param returned called with checks that gave hits back
     */
    public Leases(
            IntFunction<SharedStore> stores,
            TimeSource time,
            long deadlineMicros,
            CounterBudget budget,
            int recent,
            Consumer<Check> returned) {
        this.stores = stores;
        this.time = time;
        this.travel = deadlineMicros * 1_000;
        this.budget = budget;
        this.recent = new RecentCounters(recent);
        this.returned = returned;
    }

    public LeaseStats stats() {
        return stats;
    }

    /** The number of counters that are leased from, or were a moment ago. */
    public int size() {
        return counters.size();
    }

    /** The hits that are held, approximately: leases change while they are summed. */
    public long held() {
        long held = 0;
        for (LeasedCounter each : counters.values()) {
            held += each.left();
        }
        return held;
    }

    /** The counter of {@code check} if it is busy here; {@code key} is a buffer for the lookup. */
    public @Nullable LeasedCounter find(Check check, CounterKey key, long now) {
        LeasedCounter found = counters.get(key.set(check.key0, check.key1));
        if (found == null || found.isOf(check)) {
            return found;
        }
        remove(found, now); // its limit has changed
        return null;
    }

    /** The same, and changes nothing. */
    public @Nullable LeasedCounter peek(Check check, CounterKey key) {
        LeasedCounter found = counters.get(key.set(check.key0, check.key1));
        return found != null && found.isOf(check) ? found : null;
    }

    /**
     * Records that the counter of {@code check} was asked and had room; the second time within a second it becomes
     * busy.
     */
    public void seen(Check check, Rule rule, long taken, long asked) {
        if (!recent.seen(check.key0, asked) || closed || !budget.take()) {
            return;
        }
        LeasedCounter counter = new LeasedCounter(this, check, rule, asked);
        counter.answered(check, taken, asked, wall());
        if (counters.putIfAbsent(counter, counter) != null) {
            budget.leave();
        }
    }

    /** Gives back expired leases, and forgets idle counters. */
    public void sweep() {
        long now = now();
        long wall = wall();
        for (LeasedCounter each : counters.values()) {
            if (each.sweep(now, wall)) {
                remove(each, now);
            }
        }
    }

    /** Gives back the leases of counters whose rule is not {@code kept}. */
    public void retainIf(Predicate<Rule> kept) {
        long now = now();
        for (LeasedCounter each : counters.values()) {
            if (!kept.test(each.rule())) {
                remove(each, now);
            }
        }
    }

    /** Forgets the counter of {@code check}, which its store has forgotten; nothing is given back. */
    public void forget(Check check) {
        LeasedCounter gone = counters.remove(new CounterKey().set(check.key0, check.key1));
        if (gone != null) {
            budget.leave();
            gone.drop(now());
        }
    }

    /** Gives back everything and takes no more leases; completes when the stores have answered. */
    public CompletionStage<Void> close() {
        closed = true;
        return inFlight.noneAfter(() -> retainIf(rule -> false));
    }

    private void remove(LeasedCounter counter, long now) {
        LeasedCounter gone = counters.remove(counter);
        if (gone != null) {
            budget.leave();
            gone.retire(now);
        }
    }

    /**
     * Sends back {@code hits} of {@code lease}, of the counter that {@code like} asks, to a store that is {@code travel}
     * nanoseconds away; false if their window has ended.
     */
    boolean giveBack(Check like, Lease lease, long hits, long now, long travel) {
        if (!lease.isReturnable(now, wall(), travel)) {
            boolean refilled = like.meter != null && like.meter.refills();
            (refilled ? stats.refilled : stats.stranded).add(hits);
            return false;
        }
        inFlight.sent();
        stats.returns.increment();
        send(new LeaseReturn(this, like, lease, hits, now + travel), like.store);
        return true;
    }

    /** Records a store's answer to {@code check}, which gave hits back. */
    void returned(Check check) {
        boolean taken = check.failure == null && !check.windowOver;
        (taken ? stats.returned : stats.stranded).add(-check.hits);
        returned.accept(check);
        answeredOne();
    }

    /** Counts a fetch or a return as answered; everything that follows from it must have been sent before. */
    void answeredOne() {
        inFlight.answered();
    }

    /** Asks for a lease in the background. */
    void fetch(LeaseFetch fetch) {
        inFlight.sent();
        send(fetch, fetch.check().store);
    }

    /** The name under which stores keep the grants of the counter with this key. */
    long lessee(long key0) {
        long name = lessee ^ key0;
        return name == 0 ? 1 : name;
    }

    /** The number of the next grant; no other of this process has it. */
    long nextGrant() {
        return grants.incrementAndGet();
    }

    boolean isClosed() {
        return closed;
    }

    private void send(Ask ask, int storeIndex) {
        stores.apply(storeIndex).decide(ask);
    }

    long now() {
        return time.nanos();
    }

    /** The wall clock, microseconds. */
    long wall() {
        return time.wallMicros();
    }

    /** How long a store may take to answer where the rule does not say, nanoseconds. */
    long travel() {
        return travel;
    }
}
