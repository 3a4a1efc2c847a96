package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;

/** Told of every decision, on the thread that made it: what metrics hang on. */
public interface LimiterObserver {

    /** A request was decided; both arguments are buffers that are filled again as soon as this returns. */
    default void decided(Request request, MutableDecision decision) {}

    /** A request met {@code rule} and lacked the attribute that it counts by. */
    default void keyMissing(Rule rule) {}

    /** What was agreed with a caller is nothing that {@code rule} can count: its own limit held. */
    default void agreementIgnored(Rule rule, Limit agreed) {}

    /** A check had no answer from its shared store: what its rule does on failure decided it. */
    default void storeFailed(StoreFailure failure) {}

    /** Hits were given back to a shared store because another one denied their request. */
    default void gaveBack(int checks) {}

    /** A request was charged whose idempotency key had no room in a shared store: sent again, it may be charged again. */
    default void keyNotKept() {}
}
