package dev.weir.internal.store;

/** A store in this process; it decides at once. */
public interface LocalStore extends AutoCloseable {

    /**
     * Decides the checks of one request at {@code nowMicros}, writes each outcome, and takes the hits. If the request
     * passes, the hits of all checks are taken; if not, only those of checks that count denied hits. A shadow check
     * that is over takes nothing and denies nothing. Two checks on one counter are taken one after the other.
     *
     * @return whether the request passes, which is {@link Checks#allowed}
     */
    boolean decide(Checks checks, long nowMicros);

    /** Forgets the counter of {@code check}; returns whether there was one. */
    boolean forget(Check check);

    @Override
    void close();
}
