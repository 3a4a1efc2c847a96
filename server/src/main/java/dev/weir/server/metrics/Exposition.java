package dev.weir.server.metrics;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes Prometheus's text format, version 0.0.4, or OpenMetrics 1.0. */
public final class Exposition {
    private static final double MICROS = 1e6;

    private static final String TOTAL = "_total";
    /** Counters beside a gauge that has their name in OpenMetrics, where they are of an unknown type instead. */
    private static final Set<String> BESIDE_GAUGES = Set.of("ratelimit_degraded_total");

    private final StringBuilder text = new StringBuilder(8_192);
    private final MetricsFormat format;

    public Exposition() {
        this(MetricsFormat.TEXT);
    }

    public Exposition(MetricsFormat format) {
        this.format = format;
    }

    /**
     * Starts a metric; its samples must follow. In OpenMetrics, the name of a counter lacks the suffix that its samples
     * have.
     */
    public Exposition metric(String name, String type, String help) {
        if (format == MetricsFormat.TEXT) {
            return describe(name, type, help);
        }
        String escaped = help.replace("\"", "\\\"");
        if (BESIDE_GAUGES.contains(name)) {
            return describe(name, "unknown", escaped);
        }
        boolean counts = type.equals("counter") && name.endsWith(TOTAL);
        return describe(counts ? name.substring(0, name.length() - TOTAL.length()) : name, type, escaped);
    }

    private Exposition describe(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    /** Writes a sample with the trace of something that it counted, which only OpenMetrics shows. */
    Exposition sample(String name, String labels, long value, DenialExemplars.@Nullable Exemplar exemplar) {
        if (exemplar == null || format != MetricsFormat.OPEN_METRICS) {
            return sample(name, labels, value);
        }
        text.append(name).append(labels).append(' ').append(value);
        text.append(" # {trace_id=\"").append(exemplar.traceId()).append("\"} 1 ");
        text.append(exemplar.atMillis() / 1_000).append('.');
        text.append(String.valueOf(1_000 + exemplar.atMillis() % 1_000), 1, 4).append('\n');
        return this;
    }

    /** Writes a sample; {@code labels} comes from {@link #labels}. */
    public Exposition sample(String name, String labels, long value) {
        text.append(name).append(labels).append(' ').append(value).append('\n');
        return this;
    }

    /** Writes a sample with a fraction. */
    public Exposition sample(String name, String labels, double value) {
        text.append(name).append(labels).append(' ').append(value).append('\n');
        return this;
    }

    /**
     * Writes the samples of a histogram.
     *
     * @param counts of each bucket of {@link LatencyBuckets}; further elements are ignored
     * @param sumMicros the sum of all latencies
     */
    public Exposition histogram(String name, String labels, long[] counts, long sumMicros) {
        String open = labels.substring(0, labels.length() - 1) + ",le=\"";
        long below = 0;
        for (int bucket = 0; bucket < LatencyBuckets.COUNT; bucket++) {
            below += counts[bucket];
            String bound = bucket == LatencyBuckets.BOUNDS.length
                    ? "+Inf"
                    : String.valueOf(LatencyBuckets.BOUNDS[bucket] / MICROS);
            sample(name + "_bucket", open + bound + "\"}", below);
        }
        return sample(name + "_sum", labels, sumMicros / MICROS).sample(name + "_count", labels, below);
    }

    /** Appends samples that another writer has made. */
    public Exposition append(String samples) {
        text.append(samples);
        return this;
    }

    /** Formats names and values in turn as <code>{name="value",…}</code>, with the values escaped. */
    public static String labels(String... namesAndValues) {
        StringBuilder labels = new StringBuilder("{");
        for (int i = 0; i < namesAndValues.length; i += 2) {
            labels.append(i == 0 ? "" : ",").append(namesAndValues[i]).append("=\"");
            String value = namesAndValues[i + 1];
            for (int at = 0; at < value.length(); at++) {
                char c = value.charAt(at);
                switch (c) {
                    case '\\' -> labels.append("\\\\");
                    case '"' -> labels.append("\\\"");
                    case '\n' -> labels.append("\\n");
                    default -> labels.append(c);
                }
            }
            labels.append('"');
        }
        return labels.append('}').toString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
