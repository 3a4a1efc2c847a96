package dev.weir.internal.store;

/** A store whose counters other processes use as well. It answers later, and it may fail. */
public interface SharedStore extends AutoCloseable {

    /**
     * Decides the checks of {@code ask}, and makes sure that {@link Ask#answered} is called once, no later than its
     * deadline except for scheduling delays. Never blocks and never throws.
     */
    void decide(Ask ask);

    @Override
    void close();
}
