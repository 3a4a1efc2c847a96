package dev.weir.simulation.fleet;

import dev.weir.limiter.Later;
import dev.weir.model.Decision;
import dev.weir.model.Request;

/** What decides on a node, from its start until it is stopped or killed. */
interface Peer {

    /** As {@link dev.weir.limiter.Limiter#decide(Request, long, Decision, Later)}. */
    boolean decide(Request request, long nowMicros, Decision into, Later later);

    /** Does what is due from time to time. */
    void tick();

    /** Gives back what it holds. */
    void stop();
}
