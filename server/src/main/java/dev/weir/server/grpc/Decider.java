package dev.weir.server.grpc;

import dev.weir.limiter.Later;
import dev.weir.limiter.Limiter;
import dev.weir.model.Decision;
import dev.weir.model.Request;

/** Who decides the requests that the lane reads. */
@FunctionalInterface
public interface Decider {

    /**
     * Decides {@code request} into {@code into} and returns true; or takes a {@linkplain Later#waiter waiter}, returns false and
     * tells it later. Both buffers are filled again as soon as this returns.
     */
    boolean decide(Request request, long nowMicros, Decision into, Later later);

    static Decider of(Limiter limiter) {
        return limiter::decide;
    }
}
