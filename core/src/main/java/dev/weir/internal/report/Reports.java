package dev.weir.internal.report;

import dev.weir.TimeSource;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.InFlightAsks;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.SharedStore;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one process that its shared stores have not been told yet. They need room: a counter that finds none is
 * asked exactly. Nothing has a timer: {@link #tick} is called now and then.
 */
public final class Reports {
    private final ConcurrentHashMap<CounterKey, CountersPerLimit> counters = new ConcurrentHashMap<>();
    private final LocalStore local;
    private final IntFunction<SharedStore> stores;
    private final TimeSource time;
    private final long travel;
    private final CounterBudget room;
    private final ReportStats stats = new ReportStats();
    private final InFlightAsks underWay = new InFlightAsks();

    /**
     * Counts that {@code local} decides and {@code stores}, by their place, are told.
     *
     * @param deadlineMicros how long a store may take to answer
     * @param room for the counters
     */
    public Reports(
            LocalStore local,
            IntFunction<SharedStore> stores,
            TimeSource time,
            long deadlineMicros,
            CounterBudget room) {
        this.local = local;
        this.stores = stores;
        this.time = time;
        this.travel = deadlineMicros;
        this.room = room;
    }

    public ReportStats stats() {
        return stats;
    }

    /** How many counters there is something to report of, or was a moment ago. */
    public int size() {
        return counters.size();
    }

    /** The counter of {@code check}, which the store at {@code place} is told of; null if there is no room for it. */
    public @Nullable ReportedCounter find(Check check, CounterKey key, Rule rule, int place, long now) {
        CountersPerLimit known = counters.get(key.set(check.key0, check.key1));
        ReportedCounter found = known == null ? null : known.find(check, place);
        if (known != null && !known.isAt(place)) { // its rule names another store now
            removeAll(key, known, now);
        }
        if (found == null) {
            return add(check, rule, place, now);
        }
        found.tellEvery(rule.reportIntervalMicros());
        return found;
    }

    private @Nullable ReportedCounter add(Check check, Rule rule, int place, long now) {
        if (!room.take()) {
            return null;
        }
        ReportedCounter fresh = new ReportedCounter(this, check, rule, place, now);
        CountersPerLimit all =
                counters.merge(fresh.key(), CountersPerLimit.of(fresh), (known, one) -> known.with(fresh));
        ReportedCounter found = all.find(check, place);
        if (found != fresh) {
            room.leave();
        }
        return found;
    }

    /** What it has left to say, it still says. */
    private void remove(ReportedCounter counter, long now) {
        counters.computeIfPresent(counter.key(), (key, known) -> {
            CountersPerLimit rest = known.without(counter);
            if (rest != known) {
                room.leave();
            }
            return rest;
        });
        counter.retire(now);
    }

    private void removeAll(CounterKey key, CountersPerLimit known, long now) {
        if (counters.remove(key, known)) {
            for (ReportedCounter each : known.counters()) {
                room.leave();
                each.retire(now);
            }
        }
    }

    /** Forgets the counter of {@code check}, which its store has forgotten: what it has left to say is not said. */
    public void forget(Check check) {
        CountersPerLimit gone = counters.remove(new CounterKey().set(check.key0, check.key1));
        if (gone != null) {
            for (ReportedCounter each : gone.counters()) {
                room.leave();
                each.forget();
            }
        }
    }

    /** What passed under other limits of the same counter, and its store may not know of yet. */
    long untoldBeside(ReportedCounter counter) {
        CountersPerLimit known = counters.get(counter.key());
        return known == null ? 0 : known.untoldBeside(counter);
    }

    /** Reports what is due, and forgets counters that are not in use any more. */
    public void tick() {
        long now = time.micros();
        forEach(each -> {
            if (each.tick(now, false)) {
                remove(each, now);
            }
        });
    }

    /** Reports all that there is; done when the stores have answered. */
    public CompletionStage<Void> flush() {
        long now = time.micros();
        return underWay.noneAfter(() -> forEach(each -> each.tick(now, true)));
    }

    private void forEach(Consumer<ReportedCounter> action) {
        for (CountersPerLimit known : counters.values()) {
            for (ReportedCounter each : known.counters()) {
                action.accept(each);
            }
        }
    }

    void answered() {
        underWay.answered();
    }

    /** Whether somebody waits until all is told. */
    boolean isFlushing() {
        return underWay.areAwaited();
    }

    void send(Ask ask, int place) {
        underWay.sent();
        stats.reports.increment();
        stores.apply(place).decide(ask);
    }

    /** Takes or gives back in the local store what it is away from {@code room}. */
    void setRight(Check like, long room) {
        Checks checks = new Checks();
        long now = time.micros();
        long here = decide(checks, like, 0, now);
        if (here != room) {
            decide(checks, like, here - room, now);
        }
    }

    /** The room that there is here at {@code now}. */
    long room(Check like, long now) {
        return decide(new Checks(), like, 0, now);
    }

    private long decide(Checks checks, Check like, long hits, long now) {
        checks.clear();
        Check check = checks.add();
        check.set(like);
        check.hits = hits;
        check.ahead = 0;
        check.role = Check.Role.SHADOW;
        local.decide(checks, now);
        return check.outcome.remaining;
    }

    long now() {
        return time.micros();
    }

    long travelMicros() {
        return travel;
    }

    long deadline() {
        return time.nanos() + travel * 1_000;
    }
}
