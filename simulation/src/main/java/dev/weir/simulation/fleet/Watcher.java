package dev.weir.simulation.fleet;

import dev.weir.model.Decision;
import dev.weir.simulation.traffic.Flow;

/** Told of every decision of the fleet. */
public interface Watcher {

    /**
     * A request was decided.
     *
     * @param decision a buffer that is filled again afterwards
     * @param chargedMicros when its hits were taken, by the store's clock
     * @param waited whether it had to ask the store
     */
    void told(Flow flow, int caller, Node node, Decision decision, long chargedMicros, boolean waited);
}
