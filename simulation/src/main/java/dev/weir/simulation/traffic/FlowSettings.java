package dev.weir.simulation.traffic;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What callers of one kind do.
 *
 * @param name what they are called; with its number, the value of {@code key}
 * @param domain the domain they ask
 * @param key the attribute that tells them apart
 * @param attributes what else every request carries
 * @param hits what a request takes
 * @param obeysRetryAfter who was denied sends nothing until it may pass
 */
public record FlowSettings(
        String name,
        String domain,
        String key,
        Map<String, String> attributes,
        long hits,
        ArrivalProcess arrivals,
        CallerDistribution callers,
        Placement placement,
        boolean obeysRetryAfter) {

    public FlowSettings {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes)); // in their order, each time the same
    }

    /** Callers with a request a hit, who spread over all nodes and do not heed what they are told. */
    public static FlowSettings of(String key, ArrivalProcess arrivals, CallerDistribution callers) {
        return new FlowSettings("c", "default", key, Map.of(), 1, arrivals, callers, new Placement.Spread(), false);
    }

    public FlowSettings placed(Placement other) {
        return new FlowSettings(name, domain, key, attributes, hits, arrivals, callers, other, obeysRetryAfter);
    }

    public FlowSettings obeying() {
        return new FlowSettings(name, domain, key, attributes, hits, arrivals, callers, placement, true);
    }
}
