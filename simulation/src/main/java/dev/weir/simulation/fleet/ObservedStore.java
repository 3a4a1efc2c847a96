package dev.weir.simulation.fleet;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.concurrent.Executor;

/** Wraps a store to observe a node's background asks, such as reports, and their answers. */
final class ObservedStore implements SharedStore {
    private final SharedStore store;
    private final Ear ear;

    /** Receives each ask when it is sent, and each answer before the node does. */
    interface Ear {
        void asked(Check check);

        void answered(Check check);
    }

    ObservedStore(SharedStore store, Ear ear) {
        this.store = store;
        this.ear = ear;
    }

    @Override
    public void decide(Ask ask) {
        if (ask.checks.size() == 1 && ask.checks.get(0).hits == 0) {
            if (!(ask.home instanceof Way)) {
                ask.home = new Way(ask, ask.home);
            }
            ear.asked(ask.checks.get(0));
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

    /** The executor of an ask's answer, which reports the answer first. */
    private final class Way implements Executor {
        private final Ask ask;
        private final Executor home;

        Way(Ask ask, Executor home) {
            this.ask = ask;
            this.home = home;
        }

        @Override
        public void execute(Runnable answered) {
            ear.answered(ask.checks.get(0));
            home.execute(answered);
        }
    }
}
