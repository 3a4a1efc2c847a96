package dev.weir.internal.store;

/** A store whose counters other processes use as well. It answers later, and it may fail. */
public interface SharedStore extends AutoCloseable {

    /**
     * Decides the checks of {@code ask}, and makes sure that {@link Ask#answered} is called once, no later than its
     * deadline except for scheduling delays. Never blocks and never throws.
     */
    void decide(Ask ask);

    /**
     * The hash slot of the counter of {@code check}, which is that of its subject. The store decides checks of one slot
     * in one step. Checks of different slots are decided separately, so callers should ask for each slot by itself.
     */
    default int slot(Check check) {
        return 0;
    }

    @Override
    void close();
}
