package dev.weir.internal.region;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.store.Check;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * A counter of a limit that regions share. Each region admits, in its own store, what the others are not known to have
 * used of the window:
 *
 * <pre>
 *   allowance = limit - sum of what the others used - sum of what is kept for silent regions
 *   kept for a silent region = (left when it was last heard - kept for those silent before) / (regions until then)
 * </pre>
 *
 * <p>So while regions cannot hear each other, each side uses its share of what was left, and together they use all of
 * it. What others used is merged by its maximum, and is never told to anybody else.
 */
public final class RegionalCounter {
    /** How much later than it happened a use may be recorded, so that few decisions write. */
    private static final long USE_NANOS = 10_000_000L;

    private static final long NANOS_PER_MICRO = 1_000;

    private final CounterKey key;
    private final RegionalCounts counts;
    private final Limit limit;
    private final RegionCell own;
    private final RegionCell[] others;
    private volatile long intervalNanos;
    private volatile long usedNanos;
    private volatile Allowance allowance;

    /** A meter of the hits that this region may use, and until when it holds unless an answer comes before. */
    private record Allowance(Meter meter, long untilNanos) {}

    RegionalCounter(RegionalCounts counts, Check check, RegionStores stores, long intervalMicros, long nanos) {
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        this.key = new CounterKey().set(check.key0, check.key1);
        this.counts = counts;
        this.limit = meter.limit();
        this.own = new RegionCell(this, check, stores.own(), null);
        this.others = new RegionCell[stores.others().size()];
        for (int i = 0; i < others.length; i++) {
            int index = stores.others().get(i);
            others[i] = new RegionCell(
                    this, check, index, counts.link(index, stores.names().get(i)));
        }
        this.intervalNanos = intervalMicros * NANOS_PER_MICRO;
        this.usedNanos = nanos;
        this.allowance = new Allowance(meter, nanos);
    }

    CounterKey key() {
        return key;
    }

    Limit limit() {
        return limit;
    }

    /** The places that it takes in the budget: one for each region. */
    static int places(RegionStores stores) {
        return stores.others().size() + 1;
    }

    int places() {
        return others.length + 1;
    }

    /** Whether {@code check}, of a rule with these {@code stores}, has the limit and the stores of this counter. */
    boolean isOf(Check check, RegionStores stores) {
        Meter meter = check.meter;
        boolean same = meter != null
                && own.storeIndex() == stores.own()
                && others.length == stores.others().size();
        for (int i = 0; same && i < others.length; i++) {
            same = others[i].storeIndex() == stores.others().get(i);
        }
        return same && Objects.requireNonNull(meter).limit().equals(limit);
    }

    /** Sets how often the other regions are asked, microseconds; the rule may have changed it. */
    void setInterval(long micros) {
        long nanos = micros * NANOS_PER_MICRO;
        if (intervalNanos != nanos) {
            intervalNanos = nanos;
        }
    }

    /** Lets {@code check} take no more than this region may use now. */
    void narrow(Check check, long nanos) {
        if (nanos - usedNanos >= USE_NANOS) {
            usedNanos = nanos;
        }
        check.meter = current(nanos).meter;
    }

    private Allowance current(long nanos) {
        Allowance known = allowance;
        return known.untilNanos - nanos > 0 ? known : reckon(nanos);
    }

    private synchronized Allowance reckon(long nanos) {
        long now = counts.storeMicros(own.storeIndex(), nanos);
        long window = limit.windowStart(now);
        long until = nanos + (limit.windowEnd(now) - now) * NANOS_PER_MICRO;
        List<RegionCell> silent = new ArrayList<>(0);
        for (RegionCell each : others) {
            long quiet = each.nanosUntilSilent(nanos);
            if (quiet > 0) {
                until = Math.min(until, nanos + quiet);
            } else {
                silent.add(each);
            }
        }
        long rest = Math.max(0, limit.requests() - usedByOthers(window) - kept(silent, window, nanos));
        Meter before = allowance.meter;
        Meter meter = before.limit().requests() == rest ? before : Meters.of(part(limit, rest));
        Allowance next = new Allowance(meter, until);
        allowance = next;
        return next;
    }

    private long usedByOthers(long window) {
        long used = 0;
        for (RegionCell each : others) {
            used += each.usedIn(window);
        }
        return used;
    }

    /** The hits that are kept for regions that do not answer. */
    private long kept(List<RegionCell> silent, long window, long nanos) {
        silent.sort(Comparator.comparingLong((RegionCell each) -> each.sinceHeard(nanos))
                .reversed());
        long kept = 0;
        int together = others.length + 1;
        for (RegionCell each : silent) {
            kept += Math.max(0, each.leftOf(window) - kept) / together--;
        }
        return kept;
    }

    /** {@code limit} with so many requests. */
    static Limit part(Limit limit, long requests) {
        return new Limit(
                limit.algorithm(), requests, limit.windowMicros(), requests, limit.subWindows(), limit.calendar(), 0);
    }

    /** Asks the regions that are due; returns whether the counter is idle and may be forgotten. */
    boolean tick(long nanos, boolean isTight) {
        ask(own, nanos);
        for (RegionCell each : others) {
            ask(each, nanos);
        }
        return nanos - usedNanos > RegionalCounts.IDLE_NANOS && isIdle(nanos, isTight);
    }

    private synchronized boolean isIdle(long nanos, boolean isTight) {
        boolean idle = !own.isInFlight();
        for (RegionCell each : others) {
            idle &= !each.isInFlight();
        }
        if (idle && !isTight) { // what others used is worth knowing until the window ends
            long then = counts.storeMicros(own.storeIndex(), usedNanos);
            idle = counts.storeMicros(own.storeIndex(), nanos) >= limit.windowEnd(then);
        }
        return idle;
    }

    /** Asks for {@code cell} if that is due. */
    private void ask(RegionCell cell, long nanos) {
        synchronized (this) {
            if (!cell.isDue(nanos, usedNanos + USE_NANOS, intervalNanos)) {
                return;
            }
            cell.sending(nanos);
        }
        counts.send(cell);
    }

    /** Takes in the answer to {@code cell}, or its failure. */
    void answered(RegionCell cell) {
        long nanos = counts.nanos();
        boolean fromOwn = cell == own;
        synchronized (this) {
            if (fromOwn && cell.storeMicros != 0) {
                counts.sample(own.storeIndex(), cell.sentNanos(), nanos, cell.storeMicros);
            }
            long window = limit.windowStart(counts.storeMicros(own.storeIndex(), nanos));
            boolean answered = cell.merge(window);
            if (answered && !fromOwn) {
                cell.heard(window, Math.max(0, limit.requests() - own.usedIn(window) - usedByOthers(window)));
            } else if (answered) {
                cell.heard(window, 0);
            }
            counts.told(cell.link(), answered);
            reckon(nanos);
        }
    }

    /** The known part of each region, the own one first. */
    synchronized List<RegionView> view(String ownName, long nanos) {
        long window = limit.windowStart(counts.storeMicros(own.storeIndex(), nanos));
        List<RegionView> views = new ArrayList<>();
        views.add(own.view(ownName, window, nanos));
        for (RegionCell each : others) {
            views.add(each.view(ownName, window, nanos));
        }
        return views;
    }

    /** The hits of the window that this region may use. */
    long allowed(long nanos) {
        return current(nanos).meter.limit().requests();
    }

    /** A meter of the share of a region that knows nothing of the others. */
    static Meter share(Meter meter, RegionStores stores) {
        long requests = meter.limit().requests();
        int regions = stores.others().size() + 1;
        return Meters.of(part(meter.limit(), requests / regions + (requests % regions == 0 ? 0 : 1)));
    }
}
