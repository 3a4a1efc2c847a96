package dev.weir.simulation.fleet;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.simulation.store.LinkSettings;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of a fleet.
 *
 * @param nodes how many
 * @param kind what runs on them
 * @param clockSkewMicros wall clocks are off by up to this, either way
 * @param driftMillionths clocks run fast or slow by up to this
 * @param link the way to the default store
 * @param limiter what holds for every rule
 * @param others the ways to the other stores, by the names that rules know them by
 */
public record FleetSettings(
        int nodes,
        Kind kind,
        long clockSkewMicros,
        long driftMillionths,
        LinkSettings link,
        LimiterSettings limiter,
        Map<String, LinkSettings> others) {

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
        others = Collections.unmodifiableMap(new LinkedHashMap<>(others)); // in their order, each time the same
    }

    /** A fleet with a single store. */
    public FleetSettings(
            int nodes,
            Kind kind,
            long clockSkewMicros,
            long driftMillionths,
            LinkSettings link,
            LimiterSettings limiter) {
        this(nodes, kind, clockSkewMicros, driftMillionths, link, limiter, Map.of());
    }

    /** So many nodes with right clocks on a good network. */
    public static FleetSettings of(int nodes) {
        return new FleetSettings(nodes, Kind.WEIR, 0, 0, LinkSettings.good(), LimiterSettings.defaults());
    }

    public FleetSettings of(Kind other) {
        return new FleetSettings(nodes, other, clockSkewMicros, driftMillionths, link, limiter, others);
    }
}
