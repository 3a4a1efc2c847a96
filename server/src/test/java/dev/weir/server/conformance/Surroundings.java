package dev.weir.server.conformance;

import java.util.Map;

/** The environment variables under which a server runs; scenarios that share them share a server. */
enum Surroundings {
    PLAIN,
    SHADOW_MODE,
    QUOTA_MODE,
    NO_CHARGE_WHEN_DENIED,
    RESPONSE_HEADERS,
    RENAMED_HEADERS,
    DYNAMIC_METADATA,
    MERGED_DOMAINS;

    Map<String, String> variables() {
        return switch (this) {
            case PLAIN -> Map.of();
            case SHADOW_MODE -> Map.of("SHADOW_MODE", "true");
            case QUOTA_MODE -> Map.of("QUOTA_MODE", "true");
            case NO_CHARGE_WHEN_DENIED -> Map.of("STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT", "true");
            case RESPONSE_HEADERS -> Map.of("LIMIT_RESPONSE_HEADERS_ENABLED", "true");
            case RENAMED_HEADERS ->
                Map.of(
                        "LIMIT_RESPONSE_HEADERS_ENABLED", "true",
                        "LIMIT_LIMIT_HEADER", "X-Limit",
                        "LIMIT_REMAINING_HEADER", "X-Left",
                        "LIMIT_RESET_HEADER", "X-Reset");
            case DYNAMIC_METADATA -> Map.of("RESPONSE_DYNAMIC_METADATA", "true");
            case MERGED_DOMAINS -> Map.of("MERGE_DOMAIN_CONFIG", "true");
        };
    }
}
