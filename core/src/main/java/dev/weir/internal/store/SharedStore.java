package dev.weir.internal.store;

/** Where counters live that other processes count in as well. It answers later, and it may fail. */
public interface SharedStore extends AutoCloseable {

    /**
     * Takes up the checks of {@code ask} and sees to it that {@link Ask#answered} is called once, no later than its deadline
     * but for scheduling. Never blocks and never throws.
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
