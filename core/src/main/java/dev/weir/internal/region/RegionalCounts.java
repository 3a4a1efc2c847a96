package dev.weir.internal.region;

import dev.weir.TimeSource;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.CounterBudget;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.StoreClock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The counters of limits that regions share, as far as this process uses them. They need places in the budget; a region
 * enforces only its share of a counter without one. Nothing has a timer: {@link #tick} is called periodically.
 */
public final class RegionalCounts {
    /** How long a counter without requests is kept at least. */
    static final long IDLE_NANOS = 5_000_000_000L;

    private final ConcurrentHashMap<CounterKey, RegionalCounter> counters = new ConcurrentHashMap<>();
    private final Map<Integer, RegionLink> links = new ConcurrentHashMap<>();
    private final Map<Integer, StoreClock> clocks = new ConcurrentHashMap<>();
    private final IntFunction<SharedStore> stores;
    private final TimeSource time;
    private final CounterBudget budget;
    private final LongAdder asks = new LongAdder();
    private final LongAdder failures = new LongAdder();

    /** Creates the counts of regions that count in {@code stores}, which are given by index. */
    public RegionalCounts(IntFunction<SharedStore> stores, TimeSource time, CounterBudget budget) {
        this.stores = stores;
        this.time = time;
        this.budget = budget;
    }

    /** Lets {@code check} take no more than this region may use; other regions are asked every {@code intervalMicros}. */
    public void narrow(Check check, CounterKey key, RegionStores regions, long intervalMicros) {
        long nanos = time.nanos();
        Meter meter = check.meter;
        if (meter == null || meter.counting() != MeterKind.FIXED_WINDOW) {
            return;
        }
        check.countsDenied = false; // else others would be told of hits that nobody admitted
        RegionalCounter counter = find(check, key, regions, intervalMicros, nanos);
        if (counter == null) {
            check.meter = RegionalCounter.share(meter, regions);
        } else {
            counter.narrow(check, nanos);
        }
    }

    private @Nullable RegionalCounter find(
            Check check, CounterKey key, RegionStores regions, long intervalMicros, long nanos) {
        RegionalCounter known = counters.get(key.set(check.key0, check.key1));
        if (known != null && known.isOf(check, regions)) {
            known.setInterval(intervalMicros);
            return known;
        }
        if (known != null) {
            remove(known);
        }
        return add(check, regions, intervalMicros, nanos);
    }

    private @Nullable RegionalCounter add(Check check, RegionStores regions, long intervalMicros, long nanos) {
        int places = RegionalCounter.places(regions);
        if (!budget.take(places)) {
            return null;
        }
        RegionalCounter fresh = new RegionalCounter(this, check, regions, intervalMicros, nanos);
        RegionalCounter found = counters.putIfAbsent(fresh.key(), fresh);
        if (found != null) {
            budget.leave(places);
            return found.isOf(check, regions) ? found : null;
        }
        fresh.tick(nanos, false);
        return fresh;
    }

    private void remove(RegionalCounter counter) {
        if (counters.remove(counter.key(), counter)) {
            budget.leave(counter.places());
        }
    }

    /** Forgets the counter of {@code check}, which its store has forgotten. */
    public void forget(Check check) {
        RegionalCounter known = counters.get(new CounterKey().set(check.key0, check.key1));
        if (known != null) {
            remove(known);
        }
    }

    /** Asks the regions that are due, and forgets idle counters. */
    public void tick() {
        long nanos = time.nanos();
        for (RegionalCounter each : counters.values()) {
            if (each.tick(nanos, budget.isTight())) {
                remove(each);
            }
        }
    }

    /** The known part of each region in the counter of {@code check}, own region first; empty if unknown. */
    public List<RegionView> view(Check check, String ownName) {
        RegionalCounter known = counters.get(new CounterKey().set(check.key0, check.key1));
        return known == null ? List.of() : known.view(ownName, time.nanos());
    }

    /** The hits of the window that this region may use of the counter of {@code check}; -1 if that is not known. */
    public long allowed(Check check) {
        RegionalCounter known = counters.get(new CounterKey().set(check.key0, check.key1));
        return known == null ? -1 : known.allowed(time.nanos());
    }

    /** The number of counters. */
    public int size() {
        return counters.size();
    }

    /** Asks of other regions that were sent since the start, and that failed. */
    public long asks() {
        return asks.sum();
    }

    public long failures() {
        return failures.sum();
    }

    /** How old the newest answer of {@code region} is, microseconds; -1 if it never answered. */
    public long ageMicros(String region) {
        long nanos = time.nanos();
        return of(region).mapToLong(each -> each.ageMicros(nanos)).max().orElse(-1);
    }

    /** Whether the region does not answer this process. */
    public boolean isSilent(String region) {
        long nanos = time.nanos();
        return of(region).anyMatch(each -> each.nanosUntilSilent(nanos) <= 0);
    }

    private Stream<RegionLink> of(String region) {
        return links.values().stream().filter(each -> each.region().equals(region));
    }

    RegionLink link(int storeIndex, String region) {
        return links.computeIfAbsent(storeIndex, index -> new RegionLink(region));
    }

    void send(RegionCell cell) {
        if (cell.link() != null) {
            asks.increment();
        }
        stores.apply(cell.storeIndex()).decide(cell);
    }

    void told(@Nullable RegionLink link, boolean answered) {
        if (link != null && !answered) {
            failures.increment();
        }
    }

    long nanos() {
        return time.nanos();
    }

    /** Records that the clock of a store showed {@code storeMicros} at some moment between the two. */
    void sample(int storeIndex, long sentNanos, long receivedNanos, long storeMicros) {
        StoreClock clock = clocks.computeIfAbsent(storeIndex, index -> new StoreClock());
        synchronized (clock) {
            clock.sample(sentNanos, receivedNanos, storeMicros);
        }
    }

    /** The time of the store's clock at {@code nanos}; that of this process if the store was not heard yet. */
    long storeMicros(int storeIndex, long nanos) {
        StoreClock clock = clocks.get(storeIndex);
        if (clock != null) {
            synchronized (clock) {
                if (clock.known()) {
                    return clock.at(nanos);
                }
            }
        }
        return time.micros() - (time.nanos() - nanos) / 1_000;
    }
}
