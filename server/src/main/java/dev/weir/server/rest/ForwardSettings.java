package dev.weir.server.rest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Settings of {@code /v1/ratelimit/forward}.
 *
 * @param attributes the header that each attribute is read from
 * @param locations the locations of nginx that an answer may redirect to, such as {@code @app}
 */
public record ForwardSettings(Map<String, String> attributes, Set<String> locations) {

    public ForwardSettings {
        attributes = new LinkedHashMap<>(attributes);
        locations = Set.copyOf(locations);
    }

    public static ForwardSettings defaults() {
        return new ForwardSettings(Map.of("api_key", "X-API-Key"), Set.of());
    }
}
