package dev.weir.server.grpc;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.OutlinedRules;
import dev.weir.internal.ruleset.WrittenRules;

/** Decides the requests that the gRPC server reads. */
@FunctionalInterface
public interface Decider {

    /**
     * Decides {@code request} into {@code into} and returns true; or takes a {@linkplain WaiterSupplier#waiter waiter},
     * returns false and calls the waiter later. The caller reuses both buffers as soon as this returns.
     */
    boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later);

    /** The rules by which it decides. */
    default OutlinedRules rules() {
        return WrittenRules.empty();
    }

    static Decider of(Limiter limiter) {
        return new Decider() {
            @Override
            public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
                return limiter.decide(request, nowMicros, into, later);
            }

            @Override
            public OutlinedRules rules() {
                return limiter.rules();
            }
        };
    }
}
