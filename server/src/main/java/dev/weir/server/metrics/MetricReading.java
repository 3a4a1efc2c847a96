package dev.weir.server.metrics;

import java.util.List;

/**
 * A metric and its values at a moment, for exporters that do not read text.
 *
 * @param name words with dots between them
 * @param help a sentence about it
 * @param unit of its values, as UCUM has it: {@code s}, <code>{request}</code>; empty if there is none
 * @param bounds the upper bounds of a histogram's buckets; empty for other kinds
 */
public record MetricReading(
        String name, String help, String unit, Kind kind, List<Double> bounds, List<Reading> readings) {

    /** Whether values add up, come and go, or are spread over buckets. */
    public enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM
    }

    /**
     * One value.
     *
     * @param labels names and values in turn
     * @param value the value; of a histogram, the sum of all that it counted
     * @param buckets the counts of a histogram's buckets, one more than it has bounds; empty for other kinds
     */
    public record Reading(List<String> labels, double value, List<Long> buckets) {
        static Reading of(long value, String... labels) {
            return new Reading(List.of(labels), (double) value, List.of());
        }
    }

    static MetricReading counter(String name, String unit, String help, List<Reading> readings) {
        return new MetricReading(name, help, unit, Kind.COUNTER, List.of(), readings);
    }

    static MetricReading gauge(String name, String unit, String help, List<Reading> readings) {
        return new MetricReading(name, help, unit, Kind.GAUGE, List.of(), readings);
    }
}
