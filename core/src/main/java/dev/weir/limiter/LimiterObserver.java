package dev.weir.limiter;

import dev.weir.model.Decision;
import dev.weir.model.Request;
import dev.weir.model.Rule;

/** Told of every decision, on the thread that made it: what metrics hang on. */
public interface LimiterObserver {

    /** A request was decided; both arguments are buffers that are filled again as soon as this returns. */
    default void decided(Request request, Decision decision) {}

    /** A request met {@code rule} and lacked the attribute that it counts by. */
    default void keyMissing(Rule rule) {}
}
