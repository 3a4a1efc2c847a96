package dev.weir.simulation.store;

/** Observes every hit that the shared store grants, takes back or forgets, for the accounts of the oracle. */
public interface HitObserver {
    /** Who asked has died since: nobody will spend what is taken for it. */
    int NOBODY = -1;

    /** What the store's clock shows, for what is taken next. */
    void storeShows(long micros);

    /** {@code hits} were taken for {@code node} from the counter {@code key0}; given back, if negative. */
    void took(int node, long key0, long hits);

    /** Everything that was taken after {@code moment} is forgotten. */
    void forgot(long moment);
}
