package dev.weir.simulation.store;

import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.Check;

/** Observes every hit that the shared store grants, takes back or loses. The accounts are built from it. */
public interface HitObserver {
    /** The node number for hits whose process has died since it asked: they are never spent. */
    int NOBODY = -1;

    /** Observes nothing. */
    HitObserver NONE = new HitObserver() {
        @Override
        public void storeShows(long micros) {}

        @Override
        public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {}

        @Override
        public void forgot(long moment) {}
    };

    /** Sets the time of the store's clock for the hits that follow. */
    void storeShows(long micros);

    /**
     * Records that {@code hits} of {@code check} were taken for {@code node} with {@code outcome}; negative hits were
     * given back. Hits taken {@code ahead} are a lease.
     */
    void took(int node, Check check, long hits, Outcome outcome, boolean ahead);

    /** Records that the store lost everything taken after {@code moment}. */
    void forgot(long moment);
}
