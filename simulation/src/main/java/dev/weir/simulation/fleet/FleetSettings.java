package dev.weir.simulation.fleet;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.simulation.store.LinkSettings;

/**
 * The settings of a fleet.
 *
 * @param nodes the number of nodes
 * @param kind the limiter that runs on them
 * @param clockSkewMicros the most by which wall clocks are off, either way
 * @param driftMillionths the most by which clocks run fast or slow
 * @param link the network between a node and the store
 * @param limiter the settings of the limiters
 */
public record FleetSettings(
        int nodes, Kind kind, long clockSkewMicros, long driftMillionths, LinkSettings link, LimiterSettings limiter) {

    /** What runs on a node. */
    public enum Kind {
        /** The real limiter. */
        WEIR,
        /** Borrows ten hits at a time, keeps them for five seconds, gives nothing back. */
        NAIVE_CHUNKS
    }

    public FleetSettings {
        if (nodes < 1) {
            throw new IllegalArgumentException("nodes: " + nodes + " (expected: >= 1)");
        }
    }

    /** So many nodes with right clocks on a good network. */
    public static FleetSettings of(int nodes) {
        return new FleetSettings(nodes, Kind.WEIR, 0, 0, LinkSettings.good(), LimiterSettings.defaults());
    }

    public FleetSettings of(Kind other) {
        return new FleetSettings(nodes, other, clockSkewMicros, driftMillionths, link, limiter);
    }
}
