package dev.weir.internal.limiter.check;

import dev.weir.Hold.Settlement;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.model.Ban;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;

/** Observes every decision, on the thread that made it, for metrics. */
public interface LimiterObserver {

    /** Called when a request was decided. Both arguments are buffers that are reused as soon as this returns. */
    default void decided(Request request, MutableDecision decision) {}

    /**
     * Called when a request met {@code ban}, beside {@link #decided}.
     *
     * @param enforced false if the entry only counts the request
     */
    default void banned(Ban ban, boolean enforced) {}

    /** Called when a request matched {@code rule} but lacked the attribute that it counts by. */
    default void keyMissing(Rule rule) {}

    /** Called when {@code rule} cannot count a caller's override; the rule's own limit decided. */
    default void agreementIgnored(Rule rule, Limit agreed) {}

    /** Called when a shared store did not answer a check; the rule's {@code on_fail} decided it. */
    default void storeFailed(StoreFailure failure) {}

    /** Called when hits were given back to a shared store because another store denied the request. */
    default void gaveBack(int checks) {}

    /** Called when a request asked for a hold, beside {@link #decided}; {@code held} if it got one. */
    default void reserved(boolean held) {}

    /** Called when a hold was settled, or could not be; {@code debt} if the call cost more than was reserved. */
    default void settled(Settlement result, boolean debt) {}

    /**
     * Called when a request of {@code rule} has waited under {@code over}, or was refused to.
     *
     * @param micros how long it stood in the queue; 0 if it did not, or if a tarpit delays it
     */
    default void waited(Rule rule, WaitResult result, long micros) {}

    /** Called when a request was charged but its idempotency key was not kept; a repeat may be charged again. */
    default void keyNotKept() {}
}
