package dev.weir.simulation;

import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.Objects;
import java.util.function.Consumer;

/** Mistakes with reports, as a limiter would make them: what it makes of the answers, or that it does not ask. */
final class MistakenStore implements SharedStore {
    private final SharedStore store;
    private final Consumer<Check> mistake;
    private final boolean asks;

    private MistakenStore(SharedStore store, boolean asks, Consumer<Check> mistake) {
        this.store = store;
        this.asks = asks;
        this.mistake = mistake;
    }

    /** Takes what was refused for counted. */
    static SharedStore forgetsWhatItOwes(SharedStore store) {
        return new MistakenStore(store, true, check -> check.granted = check.ahead);
    }

    /** Does not hear what others took. */
    static SharedStore hearsNothing(SharedStore store) {
        return new MistakenStore(store, true, MistakenStore::isAsNew);
    }

    /** Keeps its counts to itself. */
    static SharedStore tellsNothing(SharedStore store) {
        return new MistakenStore(store, false, MistakenStore::isAsNew);
    }

    /** Does not say which window it gives hits back to. */
    static SharedStore namesNoWindow(SharedStore store) {
        return changing(store, check -> check.window = 0);
    }

    /** Does not number its leases, so that it cannot ask for one again. */
    static SharedStore numbersNoGrant(SharedStore store) {
        return changing(store, check -> check.lessee = 0);
    }

    /** Applies every grant that it asked for in the background twice. */
    static SharedStore appliesGrantsTwice(SharedStore store) {
        return new MistakenStore(store, true, check -> check.granted *= 2);
    }

    /** Changes every check on its way to the store. */
    private static SharedStore changing(SharedStore store, Consumer<Check> change) {
        return new SharedStore() {
            @Override
            public void decide(Ask ask) {
                for (int i = 0; i < ask.checks.size(); i++) {
                    change.accept(ask.checks.get(i));
                }
                store.decide(ask);
            }

            @Override
            public int slot(Check check) {
                return store.slot(check);
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    private static void isAsNew(Check check) {
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        check.granted = check.ahead;
        check.outcome.allowed = true;
        check.outcome.remaining = meter.limit().capacity();
    }

    @Override
    public void decide(Ask ask) {
        Check check = ask.checks.get(0);
        boolean isReport = ask.checks.size() == 1 && check.hits == 0;
        if (!isReport) {
            store.decide(ask);
            return;
        }
        ask.home = answered -> {
            if (check.failure == null) {
                mistake.accept(check);
            }
            answered.run();
        };
        if (asks) {
            store.decide(ask);
        } else {
            check.failure = null;
            ask.home.execute(ask::answered);
        }
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
