package dev.weir.internal.store;

/** Where counters live that other processes count in as well. It answers later, and it may fail. */
public interface SharedStore extends AutoCloseable {

    /**
     * Takes up the checks of {@code ask} and sees to it that {@link Ask#answered} is called once, no later than its deadline
     * but for scheduling. Never blocks and never throws.
     */
    void decide(Ask ask);

    @Override
    void close();
}
