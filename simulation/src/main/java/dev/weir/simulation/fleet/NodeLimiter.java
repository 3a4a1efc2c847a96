package dev.weir.simulation.fleet;

import dev.weir.Request;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;

/** The limiter of a node, from its start until it is stopped or killed. */
interface NodeLimiter {

    /** Like {@link dev.weir.internal.limiter.Limiter#decide(Request, long, MutableDecision, WaiterSupplier)}. */
    boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later);

    /** Does the periodic work. */
    void tick();

    /** Gives back the leases. */
    void stop();
}
