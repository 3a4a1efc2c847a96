package dev.weir.internal.limiter.check;

import dev.weir.Request;
import dev.weir.internal.model.MutableDecision;
import java.util.concurrent.Executor;

/** Who waits for a decision. It may have gone by the time the decision comes; that is its own affair. */
public interface Waiter {

    /** Where {@link #decided} is to run; those of one home may be told together, one after the other. */
    Executor home();

    /** How many microseconds it still waits, from when it was taken: no store is asked for longer. */
    default long patienceMicros() {
        return Long.MAX_VALUE;
    }

    /** Called once, in {@link #home}. Both arguments are buffers that are filled again as soon as this returns. */
    void decided(Request request, MutableDecision decision);
}
