package dev.weir.server.otlp;

import dev.weir.server.metrics.MetricReading;
import dev.weir.server.metrics.MetricReading.Reading;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.resources.Resource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Translates readings into OpenTelemetry's data. The server has counted already, so no instrument of OpenTelemetry is on
 * the path of a decision. Names begin with {@code weir.}, also those of attributes.
 */
final class OtlpMetricData {
    static final String SCOPE = "dev.weir.server";
    private static final InstrumentationScopeInfo WEIR = InstrumentationScopeInfo.create(SCOPE);

    /** Names for which there is a convention. */
    private static final Map<String, String> CONVENTIONS = Map.of(
            "ratelimit.waiting", "weir.rate_limiting.queued_requests",
            "ratelimit.leased.permits", "weir.rate_limiting.active_request_leases");

    private static final String OWN = "ratelimit.";

    private final Resource resource;
    private final long startNanos = nanos();

    OtlpMetricData(Resource resource) {
        this.resource = resource;
    }

    private static long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    List<MetricData> of(List<MetricReading> readings) {
        long now = nanos();
        return readings.stream().map(each -> of(each, now)).toList();
    }

    private MetricData of(MetricReading metric, long now) {
        return switch (metric.kind()) {
            case COUNTER ->
                data(
                        metric,
                        MetricDataType.DOUBLE_SUM,
                        SumData.createDoubleSumData(true, AggregationTemporality.CUMULATIVE, points(metric, now)));
            case GAUGE ->
                data(metric, MetricDataType.DOUBLE_GAUGE, GaugeData.createDoubleGaugeData(points(metric, now)));
            case HISTOGRAM ->
                data(
                        metric,
                        MetricDataType.HISTOGRAM,
                        HistogramData.create(AggregationTemporality.CUMULATIVE, histograms(metric, now)));
        };
    }

    private MetricData data(MetricReading metric, MetricDataType type, Data<?> data) {
        return new Metric(resource, WEIR, name(metric.name()), metric.help(), metric.unit(), type, data);
    }

    static String name(String of) {
        String convention = CONVENTIONS.get(of);
        return convention != null ? convention : of.startsWith(OWN) ? "weir." + of.substring(OWN.length()) : of;
    }

    private List<DoublePointData> points(MetricReading metric, long now) {
        return metric.readings().stream()
                .filter(each -> !Double.isNaN(each.value()))
                .map(each -> DoublePointData.create(startNanos, now, attributes(each), each.value(), List.of()))
                .toList();
    }

    private List<HistogramPointData> histograms(MetricReading metric, long now) {
        return metric.readings().stream()
                .map(each -> HistogramPointData.create(
                        startNanos,
                        now,
                        attributes(each),
                        each.value(),
                        false,
                        0,
                        false,
                        0,
                        metric.bounds(),
                        each.buckets()))
                .toList();
    }

    private static Attributes attributes(Reading of) {
        AttributesBuilder attributes = Attributes.builder();
        for (int i = 0; i < of.labels().size(); i += 2) {
            attributes.put("weir." + of.labels().get(i), of.labels().get(i + 1));
        }
        return attributes.build();
    }

    /** A metric as the exporter reads it. */
    private record Metric(
            Resource getResource,
            InstrumentationScopeInfo getInstrumentationScopeInfo,
            String getName,
            String getDescription,
            String getUnit,
            MetricDataType getType,
            Data<?> getData)
            implements MetricData {}
}
