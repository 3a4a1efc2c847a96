package dev.weir.internal.store;

/** Where counters live. */
public interface LocalStore extends AutoCloseable {

    /**
     * Decides the checks of one request at {@code nowMicros}, writes each outcome, and takes the hits: of all checks if the
     * request passes; if it does not, only of those that count when denied. A shadow check that is over takes nothing and
     * stops nobody. Two checks on one counter are taken one after the other.
     *
     * @return whether the request passes, which is {@link Checks#allowed}
     */
    boolean decide(Checks checks, long nowMicros);

    /** Forgets the counter of {@code check}; whether there was one. */
    boolean forget(Check check);

    @Override
    void close();
}
