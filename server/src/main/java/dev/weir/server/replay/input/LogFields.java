package dev.weir.server.replay.input;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of access logs that have a meaning for a replay, by the names that nginx and Envoy give them. */
final class LogFields {
    /** nginx's format {@code combined}. */
    static final String NGINX =
            "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent \"$http_referer\""
                    + " \"$http_user_agent\"";

    /** Envoy's format if none is configured. */
    static final String ENVOY = "[%START_TIME%] \"%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%\""
            + " %RESPONSE_CODE% %RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION%"
            + " %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% \"%REQ(X-FORWARDED-FOR)%\" \"%REQ(USER-AGENT)%\""
            + " \"%REQ(X-REQUEST-ID)%\" \"%REQ(:AUTHORITY)%\" \"%UPSTREAM_HOST%\"";

    /** The meaning of a field. */
    enum Meaning {
        TIME,
        /** Method, target and protocol: {@code GET /x HTTP/1.1}. */
        REQUEST_LINE,
        METHOD,
        PATH,
        ADDRESS,
        STATUS
    }

    private static final Map<String, Meaning> MEANINGS = Map.ofEntries(
            Map.entry("$time_local", Meaning.TIME),
            Map.entry("$time_iso8601", Meaning.TIME),
            Map.entry("$msec", Meaning.TIME),
            Map.entry("$request", Meaning.REQUEST_LINE),
            Map.entry("$request_method", Meaning.METHOD),
            Map.entry("$uri", Meaning.PATH),
            Map.entry("$document_uri", Meaning.PATH),
            Map.entry("$request_uri", Meaning.PATH),
            Map.entry("$remote_addr", Meaning.ADDRESS),
            Map.entry("$status", Meaning.STATUS),
            Map.entry("%REQ(:METHOD)%", Meaning.METHOD),
            Map.entry("%REQ(:PATH)%", Meaning.PATH),
            Map.entry("%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%", Meaning.PATH),
            Map.entry("%DOWNSTREAM_REMOTE_ADDRESS%", Meaning.ADDRESS),
            Map.entry("%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%", Meaning.ADDRESS),
            Map.entry("%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%", Meaning.ADDRESS),
            Map.entry("%RESPONSE_CODE%", Meaning.STATUS));

    /** The forms of Envoy's start time that can be read. */
    private static final List<String> TIMES = List.of("%S", "%S.%3F", "%S.%6F", "%S.%9F", "%Y-%M-%DT%H:%M:%S.%3FZ");

    private LogFields() {}

    /**
     * The meaning of {@code field}; null if it has none.
     *
     * @throws IllegalArgumentException if it is a time in a form that cannot be read
     */
    static @Nullable Meaning meaning(String field) {
        String upper = field.startsWith("%") ? field.toUpperCase(Locale.ROOT) : field;
        if (upper.startsWith("%START_TIME")) {
            boolean plain = upper.equals("%START_TIME%");
            if (!plain && !TIMES.contains(upper.substring("%START_TIME(".length(), upper.length() - 2))) {
                throw new IllegalArgumentException(field + " (expected: START_TIME without a format, or in seconds)");
            }
            return Meaning.TIME;
        }
        return MEANINGS.get(upper);
    }
}
