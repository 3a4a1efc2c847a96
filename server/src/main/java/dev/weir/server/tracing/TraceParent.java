package dev.weir.server.tracing;

import org.jspecify.annotations.Nullable;

/**
 * The header {@code traceparent} of W3C Trace Context, for a trace that is recorded somewhere.
 *
 * @param traceId 32 hexadecimal digits, not all zero
 * @param spanId the caller's span: 16 hexadecimal digits, not all zero
 */
public record TraceParent(String traceId, String spanId) {
    private static final int VERSION_END = 2;
    private static final int TRACE_START = 3;
    private static final int TRACE_END = 35;
    private static final int SPAN_START = 36;
    private static final int SPAN_END = 52;
    private static final int LENGTH = 55;

    /** Reads {@code 00-<32 digits>-<16 digits>-<flags>}; null if it is malformed or not sampled. */
    public static @Nullable TraceParent sampled(CharSequence header) {
        int length = header.length();
        boolean isVersion0 = header.length() > 1 && header.charAt(0) == '0' && header.charAt(1) == '0';
        if (length < LENGTH
                || (isVersion0 ? length != LENGTH : length > LENGTH && header.charAt(LENGTH) != '-')
                || header.charAt(VERSION_END) != '-'
                || header.charAt(TRACE_END) != '-'
                || header.charAt(SPAN_END) != '-'
                || (header.charAt(0) == 'f' && header.charAt(1) == 'f')) {
            return null;
        }
        for (int i = 0; i < LENGTH; i++) {
            boolean dash = i == VERSION_END || i == TRACE_END || i == SPAN_END;
            if (!dash && !isHexDigit(header.charAt(i))) {
                return null;
            }
        }
        boolean isSampled = (Character.digit(header.charAt(LENGTH - 1), 16) & 1) == 1;
        String traceId = header.subSequence(TRACE_START, TRACE_END).toString();
        String spanId = header.subSequence(SPAN_START, SPAN_END).toString();
        return isSampled && !isZero(traceId) && !isZero(spanId) ? new TraceParent(traceId, spanId) : null;
    }

    private static boolean isHexDigit(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    }

    private static boolean isZero(String digits) {
        return digits.chars().allMatch(digit -> digit == '0');
    }
}
