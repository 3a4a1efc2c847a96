package dev.weir.simulation.traffic;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The behaviour of callers of one kind.
 *
 * @param name the prefix of their names; with its number, the value of {@code key}
 * @param domain the domain of their requests
 * @param key the attribute that identifies them
 * @param attributes the other attributes of every request
 * @param hits the hits of a request
 * @param obeysRetryAfter whether a denied caller sends nothing until its retry-after has passed
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
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes)); // keeps the order, so runs repeat
    }

    /** Callers with one hit per request, who spread over all nodes and ignore retry-after. */
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
