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
 * The counters of one process that it decides alone and reports to shared stores. They need places in the budget; a
 * counter without a place is asked exactly. Nothing has a timer: {@link #tick} is called periodically.
 */
public final class Reports {
    private final ConcurrentHashMap<CounterKey, CountersPerLimit> counters = new ConcurrentHashMap<>();
    private final LocalStore local;
    private final IntFunction<SharedStore> stores;
    private final TimeSource time;
    private final long travel;
    private final CounterBudget budget;
    private final ReportStats stats = new ReportStats();
    private final InFlightAsks inFlight = new InFlightAsks();

    /**
     * Creates the reports of counters that {@code local} decides, to {@code stores}, which are given by index.
     *
     * @param deadlineMicros how long a store may take to answer
     * @param budget places for the counters
     */
    public Reports(
            LocalStore local,
            IntFunction<SharedStore> stores,
            TimeSource time,
            long deadlineMicros,
            CounterBudget budget) {
        this.local = local;
        this.stores = stores;
        this.time = time;
        this.travel = deadlineMicros;
        this.budget = budget;
    }

    public ReportStats stats() {
        return stats;
    }

    /** The number of counters that have something to report, or had a moment ago. */
    public int size() {
        return counters.size();
    }

    /**
     * The counter of {@code check}, which reports to the store at {@code storeIndex}; null if the budget has no place
     * for it.
     */
    public @Nullable ReportedCounter find(Check check, CounterKey key, Rule rule, int storeIndex, long now) {
        CountersPerLimit known = counters.get(key.set(check.key0, check.key1));
        ReportedCounter found = known == null ? null : known.find(check, storeIndex);
        if (known != null && !known.isAt(storeIndex)) { // its rule names another store now
            removeAll(key, known, now);
        }
        if (found == null) {
            return add(check, rule, storeIndex, now);
        }
        found.setInterval(rule.reportIntervalMicros());
        return found;
    }

    /** The counter of {@code check} if there is one; changes nothing. */
    public @Nullable ReportedCounter peek(Check check, CounterKey key, int storeIndex) {
        CountersPerLimit known = counters.get(key.set(check.key0, check.key1));
        return known == null ? null : known.find(check, storeIndex);
    }

    private @Nullable ReportedCounter add(Check check, Rule rule, int storeIndex, long now) {
        if (!budget.take()) {
            return null;
        }
        ReportedCounter fresh = new ReportedCounter(this, check, rule, storeIndex, now);
        CountersPerLimit all =
                counters.merge(fresh.key(), CountersPerLimit.of(fresh), (known, one) -> known.with(fresh));
        ReportedCounter found = all.find(check, storeIndex);
        if (found != fresh) {
            budget.leave();
        }
        return found;
    }

    /** Removes the counter; it still reports the rest. */
    private void remove(ReportedCounter counter, long now) {
        counters.computeIfPresent(counter.key(), (key, known) -> {
            CountersPerLimit rest = known.without(counter);
            if (rest != known) {
                budget.leave();
            }
            return rest;
        });
        counter.retire(now);
    }

    private void removeAll(CounterKey key, CountersPerLimit known, long now) {
        if (counters.remove(key, known)) {
            for (ReportedCounter each : known.counters()) {
                budget.leave();
                each.retire(now);
            }
        }
    }

    /** Forgets the counter of {@code check}, which its store has forgotten; the rest is not reported. */
    public void forget(Check check) {
        CountersPerLimit gone = counters.remove(new CounterKey().set(check.key0, check.key1));
        if (gone != null) {
            for (ReportedCounter each : gone.counters()) {
                budget.leave();
                each.forget();
            }
        }
    }

    /** The hits that passed under other limits of the same counter, and that the store may not know of yet. */
    long unreportedUnderOtherLimits(ReportedCounter counter) {
        CountersPerLimit known = counters.get(counter.key());
        return known == null ? 0 : known.unreportedUnderOtherLimits(counter);
    }

    /** Sends reports that are due, and forgets idle counters. */
    public void tick() {
        long now = time.micros();
        forEach(each -> {
            if (each.tick(now, false)) {
                remove(each, now);
            }
        });
    }

    /** Reports everything; completes when the stores have answered. */
    public CompletionStage<Void> flush() {
        long now = time.micros();
        return inFlight.noneAfter(() -> forEach(each -> each.tick(now, true)));
    }

    private void forEach(Consumer<ReportedCounter> action) {
        for (CountersPerLimit known : counters.values()) {
            for (ReportedCounter each : known.counters()) {
                action.accept(each);
            }
        }
    }

    void answered() {
        inFlight.answered();
    }

    /** Whether a caller waits until everything is reported. */
    boolean isFlushing() {
        return inFlight.areAwaited();
    }

    void send(Ask ask, int storeIndex) {
        inFlight.sent();
        stats.reports.increment();
        stores.apply(storeIndex).decide(ask);
    }

    /** Corrects the local counter: takes or gives back the difference to {@code left}. */
    void correct(Check like, long left) {
        Checks checks = new Checks();
        long now = time.micros();
        long here = decide(checks, like, 0, now);
        if (here != left) {
            decide(checks, like, here - left, now);
        }
    }

    /** The hits left in the local counter at {@code now}. */
    long hitsLeft(Check like, long now) {
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
