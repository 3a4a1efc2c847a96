package dev.weir.simulation;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.SharedStore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;

/** Mistakes with requests over several places, as a limiter would make them. */
final class MistakenPlaces implements SharedStore {
    private static final long LATE_NANOS = 300_000_000L;

    private final SharedStore store;
    private final BiConsumer<SharedStore, Ask> decides;

    private MistakenPlaces(SharedStore store, BiConsumer<SharedStore, Ask> decides) {
        this.store = store;
        this.decides = decides;
    }

    /** Does not give back what a request took that was denied elsewhere. */
    static SharedStore keepsWhatItTook(SharedStore store) {
        return new MistakenPlaces(store, (to, ask) -> {
            if (givesBack(ask.checks)) {
                ask.home.execute(ask::answered);
            } else {
                to.decide(ask);
            }
        });
    }

    /** Takes from one place although another one denied the request. */
    static SharedStore takesWhatIsDenied(SharedStore store) {
        return new MistakenPlaces(store, (to, ask) -> {
            if (ask.denied) {
                to.decide(copy(ask, MistakenPlaces::tell));
            } else {
                to.decide(ask);
            }
        });
    }

    static SharedStore givesBackTwice(SharedStore store) {
        return new MistakenPlaces(store, (to, ask) -> {
            if (givesBack(ask.checks)) {
                to.decide(copy(ask, (copy, original) -> {}));
            }
            to.decide(ask);
        });
    }

    /** Gives back when the next request comes after the window has ended: as if nothing said until when it may. */
    static SharedStore givesBackLate(SharedStore store) {
        Deque<Ask> late = new ArrayDeque<>();
        return new MistakenPlaces(store, (to, ask) -> {
            if (givesBack(ask.checks)) {
                late.add(copy(ask, (copy, original) -> {}));
                ask.home.execute(ask::answered);
                return;
            }
            while (!late.isEmpty() && ask.deadlineNanos - late.peek().deadlineNanos > LATE_NANOS) {
                Ask next = late.remove();
                next.deadlineNanos = ask.deadlineNanos;
                to.decide(next);
            }
            to.decide(ask);
        });
    }

    private static boolean givesBack(Checks checks) {
        for (int i = 0; i < checks.size(); i++) {
            if (checks.get(i).hits >= 0 || checks.get(i).role != Check.Role.SHADOW) {
                return false;
            }
        }
        return checks.size() > 0;
    }

    /** Asks the same, of a request that nobody denied yet, and tells {@code answered} of it and of the original. */
    private static Ask copy(Ask ask, BiConsumer<Ask, Ask> answered) {
        Ask copy = new Ask() {
            @Override
            public void answered() {
                answered.accept(this, ask);
            }
        };
        for (int i = 0; i < ask.checks.size(); i++) {
            copy.checks.add().set(ask.checks.get(i));
        }
        copy.checks.quotaPassed = ask.checks.quotaPassed;
        copy.deadlineNanos = ask.deadlineNanos;
        return copy;
    }

    /** Has {@code original} answered with what {@code copy} was. */
    private static void tell(Ask copy, Ask original) {
        for (int i = 0; i < original.checks.size(); i++) {
            Check from = copy.checks.get(i);
            Check to = original.checks.get(i);
            to.failure = from.failure;
            to.outcome.set(from.outcome);
        }
        original.home.execute(original::answered);
    }

    @Override
    public void decide(Ask ask) {
        decides.accept(store, ask);
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
