package dev.weir.internal.store;

/** A store whose counters other processes use as well. It answers later, and it may fail. */
public interface SharedStore extends AutoCloseable {

    /**
     * Decides the checks of {@code ask}, and makes sure that {@link Ask#answered} is called once, no later than its
     * deadline except for scheduling delays. Never blocks and never throws.
     */
    void decide(Ask ask);

    /**
     * The slot in which the counter of {@code check} lives; that of its subject. The checks of one slot are decided in one step; those of
     * different slots are not, so whoever has several does better to ask for each by itself.
     */
    default int slot(Check check) {
        return 0;
    }

    @Override
    void close();
}
