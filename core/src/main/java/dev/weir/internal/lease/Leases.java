package dev.weir.internal.lease;

import dev.weir.TimeSource;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.InFlightAsks;
import dev.weir.internal.store.SharedStore;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The leases of one process. Only counters that are busy here are known at all: one that is asked for the second time within a
 * second. They need room; where there is none, counters are asked exactly until the idle ones have gone. Nothing has a
 * timer: {@link #sweep} is called now and then.
 */
public final class Leases {
    private final ConcurrentHashMap<CounterKey, LeasedCounter> counters = new ConcurrentHashMap<>();
    private final RecentCounters recent;
    private final IntFunction<SharedStore> stores;
    private final TimeSource time;
    private final long travel;
    private final CounterBudget room;
    private final Consumer<Check> returned;
    private final LeaseStats stats = new LeaseStats();
    /** Fetches and returns. */
    private final InFlightAsks underWay = new InFlightAsks();

    private volatile boolean closed;

    /**
     * Leases of counters in {@code stores}, by their place.
     *
     * @param deadlineMicros how long a store may take to answer
     * @param room for the counters that are busy
     * @param recent counters to remember that they were asked
     * @param returned is told of checks that gave hits back
     */
    public Leases(
            IntFunction<SharedStore> stores,
            TimeSource time,
            long deadlineMicros,
            CounterBudget room,
            int recent,
            Consumer<Check> returned) {
        this.stores = stores;
        this.time = time;
        this.travel = deadlineMicros * 1_000;
        this.room = room;
        this.recent = new RecentCounters(recent);
        this.returned = returned;
    }

    public LeaseStats stats() {
        return stats;
    }

    /** How many counters are leased from, or were a moment ago. */
    public int size() {
        return counters.size();
    }

    /** Hits that are held, by and large: leases change while they are counted. */
    public long held() {
        long held = 0;
        for (LeasedCounter each : counters.values()) {
            held += each.left();
        }
        return held;
    }

    /** The counter of {@code check} if it is busy here; {@code key} is a buffer to look with. */
    public @Nullable LeasedCounter find(Check check, CounterKey key, long now) {
        LeasedCounter found = counters.get(key.set(check.key0, check.key1));
        if (found == null || found.isOf(check)) {
            return found;
        }
        remove(found, now); // its limit has changed
        return null;
    }

    /** Notes that the counter of {@code check} was asked and had room; the second time in a second it is busy. */
    public void seen(Check check, Rule rule, long taken, long asked) {
        if (!recent.seen(check.key0, asked) || closed || !room.take()) {
            return;
        }
        LeasedCounter counter = new LeasedCounter(this, check, rule, asked);
        counter.answered(check, taken, asked);
        if (counters.putIfAbsent(counter, counter) != null) {
            room.leave();
        }
    }

    /** Gives back what has expired, and forgets counters that are not busy any more. */
    public void sweep() {
        long now = now();
        for (LeasedCounter each : counters.values()) {
            if (each.sweep(now)) {
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

    /** Forgets the counter of {@code check}, which its store has forgotten: nothing of it goes back. */
    public void forget(Check check) {
        LeasedCounter gone = counters.remove(new CounterKey().set(check.key0, check.key1));
        if (gone != null) {
            room.leave();
            gone.drop(now());
        }
    }

    /** Gives everything back and takes no lease any more; done when the stores have answered. */
    public CompletionStage<Void> close() {
        closed = true;
        return underWay.noneAfter(() -> retainIf(rule -> false));
    }

    private void remove(LeasedCounter counter, long now) {
        LeasedCounter gone = counters.remove(counter);
        if (gone != null) {
            room.leave();
            gone.retire(now);
        }
    }

    /** Sends back {@code hits} of {@code lease}, of the counter that {@code like} asks; false if their window has gone. */
    boolean giveBack(Check like, Lease lease, long hits, long now) {
        if (!lease.isReturnable(now, travel)) {
            stats.stranded.add(hits);
            return false;
        }
        underWay.sent();
        stats.returns.increment();
        send(new LeaseReturn(this, like, hits, deadline(now)), like.store);
        return true;
    }

    /** A store has answered to {@code check}, which gave hits back. */
    void returned(Check check) {
        (check.failure == null ? stats.returned : stats.stranded).add(-check.hits);
        returned.accept(check);
        answeredOne();
    }

    /** A fetch or a return was answered, and all that follows from it was sent. */
    void answeredOne() {
        underWay.answered();
    }

    /** Asks for a lease in the background. */
    void fetch(LeaseFetch fetch) {
        underWay.sent();
        send(fetch, fetch.check().store);
    }

    boolean isClosed() {
        return closed;
    }

    private void send(Ask ask, int place) {
        stores.apply(place).decide(ask);
    }

    long now() {
        return time.nanos();
    }

    long deadline(long now) {
        return now + travel;
    }
}
