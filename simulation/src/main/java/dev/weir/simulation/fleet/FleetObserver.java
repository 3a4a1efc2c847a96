package dev.weir.simulation.fleet;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.Check;
import dev.weir.simulation.traffic.Flow;
import java.util.function.IntToLongFunction;

/** Observes every decision of the fleet, and the background asks of its nodes. */
public interface FleetObserver {

    /**
     * A request was decided.
     *
     * @param decision a buffer that is filled again afterwards
     * @param chargedMicros when its hits were taken, by the clock of the first store
     * @param heardMicros what the clock of each server showed, when it decided what the node last heard of
     * @param waited whether it had to ask the store
     */
    void told(
            Flow flow,
            int caller,
            SimulatedNode node,
            MutableDecision decision,
            long chargedMicros,
            IntToLongFunction heardMicros,
            boolean waited);

    /** A process begins on {@code node}, which knows nothing of the one before. */
    default void started(SimulatedNode node) {}

    /** {@code node} asks for, or reports, what {@code check} says; its own clock shows {@code ownMicros}. */
    default void asked(SimulatedNode node, Check check, long ownMicros) {}

    /** What {@code node} asked like that was answered, by the store's clock at {@code storeMicros}, or failed. */
    default void answered(SimulatedNode node, Check check, long storeMicros) {}
}
