package dev.weir.simulation.fleet;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.simulation.store.LinkSettings;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a fleet.
 *
 * @param nodes the number of nodes
 * @param kind the limiter that runs on them
 * @param clockSkewMicros the largest error of a wall clock, either way
 * @param driftMillionths the largest drift of a clock, either way
 * @param link the network to the default store
 * @param limiter the settings that apply to every rule
 * @param others the networks to the other stores, by the stores' names in rules
 * @param regions the regions of the nodes; null if all are in one
 */
public record FleetSettings(
        int nodes,
        Kind kind,
        long clockSkewMicros,
        long driftMillionths,
        LinkSettings link,
        LimiterSettings limiter,
        Map<String, LinkSettings> others,
        @Nullable RegionLayout regions) {

    /** The limiter that runs on a node. */
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

    /** Creates the settings of a fleet in one region. */
    public FleetSettings(
            int nodes,
            Kind kind,
            long clockSkewMicros,
            long driftMillionths,
            LinkSettings link,
            LimiterSettings limiter,
            Map<String, LinkSettings> others) {
        this(nodes, kind, clockSkewMicros, driftMillionths, link, limiter, others, null);
    }

    /** Creates the settings of a fleet with a single store. */
    public FleetSettings(
            int nodes,
            Kind kind,
            long clockSkewMicros,
            long driftMillionths,
            LinkSettings link,
            LimiterSettings limiter) {
        this(nodes, kind, clockSkewMicros, driftMillionths, link, limiter, Map.of());
    }

    /** Creates the settings of a fleet with exact clocks on a good network. */
    public static FleetSettings of(int nodes) {
        return new FleetSettings(nodes, Kind.WEIR, 0, 0, LinkSettings.good(), LimiterSettings.defaults());
    }

    public FleetSettings of(Kind other) {
        return new FleetSettings(nodes, other, clockSkewMicros, driftMillionths, link, limiter, others, regions);
    }

    /** These settings with the nodes in regions. */
    public FleetSettings in(RegionLayout layout) {
        int count = layout.nodes().values().stream().mapToInt(Integer::intValue).sum();
        return new FleetSettings(count, kind, clockSkewMicros, driftMillionths, link, limiter, Map.of(), layout);
    }
}
