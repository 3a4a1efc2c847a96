package dev.weir.internal.limiter.check;

import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import java.util.concurrent.Executor;

/** The callback of a decision that comes later. Its caller may be gone by then; the waiter handles that. */
public interface Waiter {

    /**
     * The executor that runs {@link #decided}; waiters with the same executor may be called together, one after the
     * other.
     */
    Executor home();

    /** How long the caller still waits, microseconds; no store is asked for longer. */
    default long patienceMicros() {
        return Long.MAX_VALUE;
    }

    /**
     * Called before the request waits because its rules say so; false if it must not, and is answered at once. A waiter that
     * says true may be answered at once all the same.
     */
    default boolean mayWait() {
        return true;
    }

    /** Called if the request waits because its rules say so; running {@code cancel} ends the wait without an answer. */
    default void waits(Runnable cancel) {}

    /** Called once, in {@link #home}. Both arguments are buffers that are reused as soon as this returns. */
    void decided(Request request, MutableDecision decision);
}
