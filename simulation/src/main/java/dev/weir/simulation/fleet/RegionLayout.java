package dev.weir.simulation.fleet;

import dev.weir.simulation.store.LinkSettings;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The regions of a fleet. Each has a store of its own; its nodes also reach those of the other regions.
 *
 * @param nodes the number of nodes of each region; nodes are numbered in this order
 * @param home the region whose store counts global limits
 * @param far the network to the stores of other regions
 */
public record RegionLayout(Map<String, Integer> nodes, String home, LinkSettings far) {
    public RegionLayout {
        nodes = Collections.unmodifiableMap(new LinkedHashMap<>(nodes));
        if (!nodes.containsKey(home)) {
            throw new IllegalArgumentException("home: " + home + " (expected: one of " + nodes.keySet() + ")");
        }
    }

    public List<String> regions() {
        return List.copyOf(nodes.keySet());
    }

    /** The region of the node with this number. */
    public String regionOf(int node) {
        int last = 0;
        for (Map.Entry<String, Integer> each : nodes.entrySet()) {
            last += each.getValue();
            if (node < last) {
                return each.getKey();
            }
        }
        throw new IllegalArgumentException("node: " + node + " (expected: below " + last + ")");
    }

    /** The name of the store of {@code region} in the rules of other regions. */
    public static String storeOf(String region) {
        return "region:" + region;
    }
}
