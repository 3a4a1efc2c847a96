package dev.weir.server.otlp;

import dev.weir.TimeSource;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.runtime.DaemonThreads;
import dev.weir.server.metrics.MetricReading;
import dev.weir.server.settings.Settings;
import dev.weir.server.settings.Version;
import dev.weir.server.tracing.TracedDecisions;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporterBuilder;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends metrics at intervals, and spans in batches, by OTLP over HTTP. A collector that does not answer costs the server
 * nothing but the call: metrics are sent anew at the next interval, and spans beyond the queue of 2,048 are dropped.
 */
public final class OtlpExport implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(OtlpExport.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    /** The longest time that a span waits for others. */
    private static final Duration SPAN_DELAY = Duration.ofSeconds(1);
    /** The time for the last report at the end of the server. */
    private static final long LAST_MILLIS = 500;

    private final Settings.Otlp settings;
    private final Supplier<List<MetricReading>> readings;
    private final OtlpMetricData data;
    private final @Nullable MetricExporter metrics;
    private final @Nullable SdkTracerProvider tracers;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("weir-otlp"));

    /**
     * Prepares to send; nothing is sent before {@link #start}.
     *
     * @param node the name of this server
     * @param readings the metrics of this moment
     */
    public OtlpExport(Settings.Otlp settings, String node, Supplier<List<MetricReading>> readings) {
        this.settings = settings;
        this.readings = readings;
        Resource resource = Resource.create(Attributes.of(
                AttributeKey.stringKey("service.name"),
                "weir",
                AttributeKey.stringKey("service.instance.id"),
                node,
                AttributeKey.stringKey("service.version"),
                Version.current().number()));
        data = new OtlpMetricData(resource);
        metrics = settings.metrics() ? metricExporter() : null;
        tracers = settings.traces() ? tracers(resource) : null;
    }

    private MetricExporter metricExporter() {
        OtlpHttpMetricExporterBuilder builder = OtlpHttpMetricExporter.builder()
                .setEndpoint(settings.url() + "/v1/metrics")
                .setTimeout(TIMEOUT);
        settings.headers().forEach(builder::addHeader);
        return builder.build();
    }

    private SdkTracerProvider tracers(Resource resource) {
        OtlpHttpSpanExporterBuilder builder = OtlpHttpSpanExporter.builder()
                .setEndpoint(settings.url() + "/v1/traces")
                .setTimeout(TIMEOUT);
        settings.headers().forEach(builder::addHeader);
        return SdkTracerProvider.builder()
                .setResource(resource)
                .setSampler(Sampler.parentBased(Sampler.alwaysOff()))
                .addSpanProcessor(BatchSpanProcessor.builder(builder.build())
                        .setScheduleDelay(SPAN_DELAY)
                        .build())
                .build();
    }

    /**
     * Returns an observer that makes a span of each decision and then tells {@code next}; {@code next} itself if no spans
     * are sent.
     *
     * @param place says where a decision was made
     */
    public TracedDecisions spans(TimeSource time, Function<MutableDecision, String> place, TracedDecisions next) {
        return tracers == null ? next : new DecisionSpans(tracers.get(OtlpMetricData.SCOPE), time, place, next);
    }

    /** Starts to send. */
    public OtlpExport start() {
        LOG.log(Level.INFO, "sending " + what() + " to " + settings.url() + " by OTLP");
        if (metrics != null) {
            long millis = settings.interval().toMillis();
            var unused = timer.scheduleWithFixedDelay(this::report, millis, millis, TimeUnit.MILLISECONDS);
        }
        return this;
    }

    private String what() {
        return metrics != null && tracers != null ? "metrics and traces" : metrics != null ? "metrics" : "traces";
    }

    /** Catches every failure: the timer would never again run a task that has thrown. */
    private void report() {
        try {
            send(TIMEOUT.toMillis());
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "metrics could not be sent by OTLP; the next report is due as usual", e);
        }
    }

    private void send(long millis) {
        if (metrics != null) {
            metrics.export(data.of(readings.get())).join(millis, TimeUnit.MILLISECONDS);
        }
    }

    /** Sends what there is, for at most a second, and ends. */
    @Override
    public void close() {
        timer.shutdownNow();
        try {
            send(LAST_MILLIS);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the last metrics could not be sent by OTLP: " + e);
        }
        if (metrics != null) {
            metrics.close();
        }
        if (tracers != null) {
            tracers.shutdown().join(LAST_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
