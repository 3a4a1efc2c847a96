package dev.weir.server.rls;

/**
 * Settings of the answer besides its statuses, as in the reference service's environment.
 *
 * @param headers adds three headers of one descriptor for Envoy to pass on ({@code LIMIT_RESPONSE_HEADERS_ENABLED})
 * @param dynamicMetadata returns a copy of the request to Envoy's filters ({@code RESPONSE_DYNAMIC_METADATA})
 * @param quotaMode treats every rule as a quota ({@code QUOTA_MODE}), as in the limiter's settings
 */
public record RlsSettings(
        boolean headers,
        String limitHeader,
        String remainingHeader,
        String resetHeader,
        boolean dynamicMetadata,
        boolean quotaMode) {

    public static RlsSettings defaults() {
        return new RlsSettings(false, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", false, false);
    }
}
