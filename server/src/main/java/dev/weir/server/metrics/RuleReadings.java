package dev.weir.server.metrics;

import dev.weir.server.metrics.MetricReading.Reading;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.ToLongFunction;

/**
 * The counts of rules under names of OpenTelemetry's kind. Its only conventions for rate limiters are those of ASP.NET
 * ({@code aspnetcore.rate_limiting}), which these names follow.
 */
final class RuleReadings {
    private static final String REQUEST = "{request}";
    private static final String CHECK = "{check}";
    private static final double MICROS = 1e6;

    /** Adds the buckets of the requests that were decided in one place, and their sum, to an array. */
    interface Times {
        void addTo(DecidedBy by, long[] into);
    }

    private RuleReadings() {}

    static List<MetricReading> of(List<RuleSeries> series, IntToLongFunction requests, Times times) {
        return List.of(
                MetricReading.counter(
                        "weir.requests",
                        REQUEST,
                        "Requests decided; unmatched ones matched no rule and passed.",
                        List.of(
                                Reading.of(requests.applyAsLong(ThreadCounts.ALLOWED), "outcome", "allowed"),
                                Reading.of(requests.applyAsLong(ThreadCounts.DENIED), "outcome", "denied"),
                                Reading.of(requests.applyAsLong(ThreadCounts.UNMATCHED), "outcome", "unmatched"))),
                MetricReading.counter(
                        "weir.rate_limiting.requests",
                        CHECK,
                        "Checks by rule and outcome. A request counts once for each rule that it matches.",
                        outcomes(series)),
                MetricReading.counter(
                        "weir.rate_limiting.degraded",
                        CHECK,
                        "Checks that on_fail decided because the store did not answer in time.",
                        each(series, RuleSeries::degraded)),
                durations(times));
    }

    private static List<Reading> outcomes(List<RuleSeries> series) {
        List<Reading> readings = new ArrayList<>(series.size() * 3);
        for (RuleSeries each : series) {
            readings.add(reading(each, "allowed", each.allowed()));
            readings.add(reading(each, "denied", each.denied()));
            readings.add(reading(each, "shadow", each.shadowed()));
        }
        return readings;
    }

    private static Reading reading(RuleSeries of, String outcome, long count) {
        return Reading.of(count, "domain", of.domain(), "rule", of.rule(), "outcome", outcome);
    }

    private static List<Reading> each(List<RuleSeries> series, ToLongFunction<RuleSeries> count) {
        return series.stream()
                .map(each -> Reading.of(count.applyAsLong(each), "domain", each.domain(), "rule", each.rule()))
                .toList();
    }

    private static MetricReading durations(Times times) {
        List<Reading> readings = new ArrayList<>();
        for (DecidedBy each : DecidedBy.values()) {
            long[] counts = new long[LatencyBuckets.COUNT + 1];
            times.addTo(each, counts);
            readings.add(new Reading(
                    List.of("decided_by", each.label()),
                    counts[LatencyBuckets.COUNT] / MICROS,
                    Arrays.stream(counts, 0, LatencyBuckets.COUNT).boxed().toList()));
        }
        return new MetricReading(
                "weir.rate_limiting.request.duration",
                "Time from reading a request to its decision, by where it was made; one request in "
                        + ThreadCounts.SAMPLED + " of each thread is timed.",
                "s",
                MetricReading.Kind.HISTOGRAM,
                Arrays.stream(LatencyBuckets.BOUNDS)
                        .mapToObj(bound -> bound / MICROS)
                        .toList(),
                readings);
    }
}
