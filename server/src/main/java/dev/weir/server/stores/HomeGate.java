package dev.weir.server.stores;

import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.UsedHits;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.function.LongSupplier;

/**
 * The store of the home region, as far as this server may count there. It takes hits only while no later epoch of home
 * is known, and a new home only from the next window on, of a bucket after one full refill: until then leases of the
 * home before may still be spent. Otherwise it fails at once, as a store does that cannot be reached.
 */
final class HomeGate implements SharedStore {
    private final SharedStore store;
    private final LongSupplier nanos;

    /** Whether this server's epoch is known to be the latest. */
    private volatile boolean open;
    /** When this home began, by its own clock in microseconds; 0 if no home was before it. */
    private volatile long since;
    /** The difference of home's clock and the monotonic clock, at least; microseconds. */
    private volatile long offset;

    HomeGate(SharedStore store, LongSupplier nanos) {
        this.store = store;
        this.nanos = nanos;
    }

    /**
     * Opens it for the home that began {@code since}, 0 for the first one, whose clock has just shown {@code timeMicros}.
     */
    void open(long since, long timeMicros) {
        this.offset = timeMicros - nanos.getAsLong() / 1_000;
        this.since = since;
        this.open = true;
    }

    /** Takes no more hits: there is a later home, or none is known. */
    void shut() {
        open = false;
    }

    boolean isOpen() {
        return open;
    }

    @Override
    public void decide(Ask ask) {
        if (takes(ask)) {
            store.decide(ask);
            return;
        }
        for (int i = 0; i < ask.checks.size(); i++) {
            ask.checks.get(i).failure = StoreFailure.OPEN;
        }
        ask.unanswered = true;
        ask.home.execute(ask::answered);
    }

    private boolean takes(Ask ask) {
        boolean mayTake = open;
        if (mayTake && since == 0) {
            return true;
        }
        for (int i = 0; i < ask.checks.size(); i++) {
            Check check = ask.checks.get(i);
            boolean returns = check.hits < 0 || (check.hits == 0 && check.ahead == 0);
            if (!returns && !(mayTake && isOver(check))) {
                return false;
            }
        }
        return true;
    }

    /** Whether the hits of the home before can no longer count for {@code check}. */
    private boolean isOver(Check check) {
        Meter meter = check.meter;
        if (meter == null) {
            return true;
        }
        long now = nanos.getAsLong() / 1_000 + offset;
        return now >= UsedHits.end(meter.limit(), since);
    }

    @Override
    public int slot(Check check) {
        return store.slot(check);
    }

    @Override
    public void close() {
        store.close();
    }
}
