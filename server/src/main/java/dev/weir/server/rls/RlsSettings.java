package dev.weir.server.rls;

/**
 * What the answer carries beside its statuses, as the reference service's environment says it.
 *
 * @param headers three headers of one descriptor for Envoy to add ({@code LIMIT_RESPONSE_HEADERS_ENABLED})
 * @param dynamicMetadata tells the request back to Envoy's filters ({@code RESPONSE_DYNAMIC_METADATA})
 * @param quotaMode every rule is a quota ({@code QUOTA_MODE}), as in the limiter's settings
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
