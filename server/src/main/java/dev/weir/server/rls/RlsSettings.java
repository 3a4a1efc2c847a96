package dev.weir.server.rls;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the answer besides its statuses, as in the reference service's environment.
 *
 * @param responseHeaders the three headers of one descriptor for Envoy's caller ({@code
 *     LIMIT_RESPONSE_HEADERS_ENABLED}); null for none
 * @param requestHeaders the same for Envoy's upstream ({@code LIMIT_REQUEST_HEADERS_ENABLED}); null for none
 * @param dynamicMetadata returns a copy of the request to Envoy's filters ({@code RESPONSE_DYNAMIC_METADATA})
 * @param quotaMode treats every rule as a quota ({@code QUOTA_MODE}), as in the limiter's settings
 * @param calendarMonths counts a caller's limit per month by the calendar ({@code USE_CALENDAR_MONTH_RATE_LIMIT})
 */
public record RlsSettings(
        @Nullable Headers responseHeaders,
        @Nullable Headers requestHeaders,
        boolean dynamicMetadata,
        boolean quotaMode,
        boolean calendarMonths) {

    public static RlsSettings defaults() {
        return new RlsSettings(null, null, false, false, false);
    }

    /** Whether answers have neither headers nor metadata. */
    boolean isPlain() {
        return responseHeaders == null && requestHeaders == null && !dynamicMetadata;
    }

    /** The names of the three headers. */
    public record Headers(String limit, String remaining, String reset) {}
}
