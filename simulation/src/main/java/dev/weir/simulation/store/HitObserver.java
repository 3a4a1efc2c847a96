package dev.weir.simulation.store;

import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.Check;

/** Told of every hit that the shared store hands out, takes back or forgets: what the books are kept by. */
public interface HitObserver {
    /** Who asked has died since: nobody will spend what is taken for it. */
    int NOBODY = -1;

    /** What the store's clock shows, for what is taken next. */
    void storeShows(long micros);

    /**
     * {@code hits} of {@code check} were taken for {@code node}, with {@code outcome} as things stood then; given back, if negative.
     * Those that it asked for {@code ahead} are a lease.
     */
    void took(int node, Check check, long hits, Outcome outcome, boolean ahead);

    /** Everything that was taken after {@code moment} is forgotten. */
    void forgot(long moment);
}
