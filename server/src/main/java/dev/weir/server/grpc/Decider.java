package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;

/** Who decides the requests that the lane reads. */
@FunctionalInterface
public interface Decider {

    /**
     * Decides {@code request} into {@code into} and returns true; or takes a {@linkplain WaiterSupplier#waiter waiter}, returns false and
     * tells it later. Both buffers are filled again as soon as this returns.
     */
    boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later);

    static Decider of(Limiter limiter) {
        return limiter::decide;
    }
}
