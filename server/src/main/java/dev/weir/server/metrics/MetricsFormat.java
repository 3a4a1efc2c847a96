package dev.weir.server.metrics;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A format of {@code GET /metrics}, chosen by the caller's {@code Accept}. */
public enum MetricsFormat {
    /** Prometheus's text format, version 0.0.4. */
    TEXT("text/plain; version=0.0.4; charset=utf-8"),
    /** OpenMetrics 1.0, which has exemplars. */
    OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

    private static final String OPEN_METRICS_TYPE = "application/openmetrics-text";

    private final String contentType;

    MetricsFormat(String contentType) {
        this.contentType = contentType;
    }

    /** The value of {@code Content-Type}. */
    public String contentType() {
        return contentType;
    }

    /** OpenMetrics if {@code accept} names it and does not prefer plain text; else text. */
    public static MetricsFormat accepted(@Nullable String accept) {
        if (accept == null) {
            return TEXT;
        }
        double open = 0;
        double plain = 0;
        for (String range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
            String type = range.split(";", -1)[0].strip();
            if (type.equals(OPEN_METRICS_TYPE)) {
                open = Math.max(open, quality(range));
            } else if (type.equals("text/plain")) {
                plain = Math.max(plain, quality(range));
            }
        }
        return open > 0 && open >= plain ? OPEN_METRICS : TEXT;
    }

    private static double quality(String range) {
        for (String parameter : range.split(";", -1)) {
            String text = parameter.strip();
            if (text.startsWith("q=")) {
                try {
                    return Double.parseDouble(text.substring(2));
                } catch (NumberFormatException e) {
                    return 0;
                }
            }
        }
        return 1;
    }
}
