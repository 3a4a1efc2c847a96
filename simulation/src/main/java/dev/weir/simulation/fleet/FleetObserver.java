package dev.weir.simulation.fleet;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.Check;
import dev.weir.simulation.traffic.Flow;
import java.util.function.IntToLongFunction;

/** Observes every decision of the fleet, and the background asks of its nodes. */
public interface FleetObserver {

    /**
     * Reports a decided request.
     *
     * @param decision a buffer that is reused afterwards
     * @param chargedMicros when its hits were taken, by the clock of the first store
     * @param heardMicros each server's time of the last decision that the node received from it
     * @param waited whether the node had to ask the store
     */
    void told(
            Flow flow,
            int caller,
            SimulatedNode node,
            MutableDecision decision,
            long chargedMicros,
            IntToLongFunction heardMicros,
            boolean waited);

    /** Reports that a process starts on {@code node}, without the state of the one before. */
    default void started(SimulatedNode node) {}

    /** Reports that {@code node} sends {@code check} in the background, when its own clock shows {@code ownMicros}. */
    default void asked(SimulatedNode node, Check check, long ownMicros) {}

    /**
     * Reports that such an ask of {@code node} was answered, at {@code storeMicros} by the store's clock, or failed.
     */
    default void answered(SimulatedNode node, Check check, long storeMicros) {}
}
