package dev.weir.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.RunningServer;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that sends metrics and spans to a receiver of OTLP over HTTP. */
class OtlpServerTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-01";
    private static final String NOT_SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-00";

    @TempDir
    Path folder;

    private Path rules() throws Exception {
        return Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                key_by: user_id
                rules:
                  - { name: few, limit: { requests: 1, window: 1h } }
                """);
    }

    @Test
    void metricsHaveTheNamesOfOpenTelemetryAndNoKeys() throws Exception {
        try (OtlpReceiver receiver = new OtlpReceiver();
                RedisProcess redis = RedisProcess.start();
                RunningServer server = RunningServer.with(
                        Map.of("WEIR_OTLP_HEADERS", "authorization:Bearer abc, x-tenant : one"),
                        rules(),
                        "store",
                        redis.uri(),
                        "deadline", // nothing is late on a busy machine
                        "5s",
                        "otlp",
                        receiver.url(),
                        "otlp_interval",
                        "1s",
                        "node",
                        "node-1")) {
            for (int i = 0; i < 3; i++) {
                server.post("/v1/ratelimit/check", "{\"user_id\":\"secret-caller\"}");
            }
            await().atMost(LONG).until(() -> value(receiver, "weir.rate_limiting.requests", DENIED) == 2);
            assertThat(value(receiver, "weir.rate_limiting.requests", ALLOWED)).isOne();
            assertThat(value(receiver, "weir.requests", Map.of("weir.outcome", "denied")))
                    .isEqualTo(2);
            assertThat(value(receiver, "weir.store.up", Map.of())).isOne();
            assertThat(value(receiver, "weir.store.circuit_open", Map.of())).isZero();
            assertThat(value(receiver, "weir.rules", Map.of())).isOne();
            assertThat(value(receiver, "weir.rate_limiting.queued_requests", Map.of()))
                    .isZero();
            assertThat(value(receiver, "weir.rate_limiting.active_request_leases", Map.of()))
                    .isZero();
            Metric durations = receiver.metric("weir.rate_limiting.request.duration");
            assertThat(durations.getUnit()).isEqualTo("s");
            HistogramDataPoint first = durations.getHistogram().getDataPoints(0);
            assertThat(first.getBucketCountsCount()).isEqualTo(first.getExplicitBoundsCount() + 1);
            assertThat(receiver.metric("weir.rate_limiting.request.time_in_queue")
                            .getHistogram()
                            .getDataPointsList())
                    .hasSize(1);
            assertThat(receiver.metric("weir.rate_limiting.requests").getSum().getIsMonotonic())
                    .isTrue();
            assertThat(receiver.resource())
                    .containsEntry("service.name", "weir")
                    .containsEntry("service.instance.id", "node-1");
            assertThat(receiver.headers())
                    .containsEntry("Authorization", "Bearer abc")
                    .containsEntry("X-tenant", "one");
            assertThat(receiver.received()).doesNotContain("secret-caller");
        }
    }

    private static final Map<String, String> DENIED =
            Map.of("weir.domain", "api", "weir.rule", "few", "weir.outcome", "denied");
    private static final Map<String, String> ALLOWED =
            Map.of("weir.domain", "api", "weir.rule", "few", "weir.outcome", "allowed");

    /** The value of the point that has these attributes, or -1. */
    private static double value(OtlpReceiver receiver, String name, Map<String, String> attributes) {
        Metric metric = receiver.metric(name);
        List<NumberDataPoint> points = metric.hasGauge()
                ? metric.getGauge().getDataPointsList()
                : metric.getSum().getDataPointsList();
        return points.stream()
                .filter(each -> text(each.getAttributesList()).entrySet().containsAll(attributes.entrySet()))
                .mapToDouble(NumberDataPoint::getAsDouble)
                .findFirst()
                .orElse(-1);
    }

    private static Map<String, String> text(List<KeyValue> attributes) {
        Map<String, String> found = new TreeMap<>();
        for (KeyValue each : attributes) {
            AnyValue value = each.getValue();
            found.put(
                    each.getKey(), value.hasIntValue() ? String.valueOf(value.getIntValue()) : value.getStringValue());
        }
        return found;
    }

    @Test
    void eachDecisionOfASampledTraceIsASpanBelowThatOfTheCaller() throws Exception {
        try (OtlpReceiver receiver = new OtlpReceiver();
                RunningServer server = RunningServer.with(
                        rules(), "otlp", receiver.url(), "otlp_interval", "1h", "drain_timeout", "8s")) {
            String body = "{\"user_id\":\"secret-caller\"}";
            server.http.post("/v1/ratelimit/check", body, "traceparent", SAMPLED);
            server.http.post("/v1/ratelimit/check", body, "traceparent", SAMPLED);
            server.http.post("/v1/ratelimit/check", body, "traceparent", NOT_SAMPLED);
            server.http.post("/v1/ratelimit/check", body);
            assertThat(server.grpc("api", "user_id", "secret-caller", "traceparent", SAMPLED))
                    .isEqualTo(2);
            await().atMost(LONG).until(() -> receiver.spans().size() >= 3);
            assertThat(receiver.spans()).hasSize(3).allSatisfy(span -> {
                assertThat(span.getName()).isEqualTo("weir.check");
                assertThat(span.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_SERVER);
                assertThat(OtlpReceiver.hex(span.getTraceId())).isEqualTo(TRACE);
                assertThat(OtlpReceiver.hex(span.getParentSpanId())).isEqualTo("00f067aa0ba902b7");
                assertThat(span.getEndTimeUnixNano()).isGreaterThanOrEqualTo(span.getStartTimeUnixNano());
                assertThat(text(span.getAttributesList()))
                        .containsEntry("weir.domain", "api")
                        .containsEntry("weir.rule", "few")
                        .containsEntry("weir.decided_by", "memory")
                        .containsEntry("weir.checks", "1");
            });
            assertThat(receiver.spans())
                    .extracting(span -> text(span.getAttributesList()).get("weir.outcome"))
                    .containsExactly("allowed", "denied", "denied");
            assertThat(receiver.received()).doesNotContain("secret-caller");
        }
    }

    @Test
    void theWaitForAStoreIsASpanOfItsOwn() throws Exception {
        try (OtlpReceiver receiver = new OtlpReceiver();
                RedisProcess redis = RedisProcess.start();
                RunningServer server = RunningServer.with(
                        rules(),
                        "store",
                        redis.uri(),
                        "deadline",
                        "5s",
                        "otlp",
                        receiver.url(),
                        "otlp_metrics",
                        "false")) {
            server.http.post("/v1/ratelimit/check", "{\"user_id\":\"u\"}", "traceparent", SAMPLED);
            await().atMost(LONG).until(() -> receiver.spans().size() >= 2);
            Span check = span(receiver, "weir.check");
            Span wait = span(receiver, "weir.store");
            assertThat(text(check.getAttributesList())).containsEntry("weir.decided_by", "store");
            assertThat(wait.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
            assertThat(wait.getParentSpanId()).isEqualTo(check.getSpanId());
            assertThat(wait.getEndTimeUnixNano()).isGreaterThan(wait.getStartTimeUnixNano());
        }
    }

    private static Span span(OtlpReceiver receiver, String name) {
        return receiver.spans().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatWasCountedLastIsSentWhenTheServerStops() throws Exception {
        try (OtlpReceiver receiver = new OtlpReceiver()) {
            try (RunningServer server =
                    RunningServer.with(rules(), "otlp", receiver.url(), "otlp_interval", "1h", "drain_timeout", "8s")) {
                server.http.post("/v1/ratelimit/check", "{\"user_id\":\"u\"}", "traceparent", SAMPLED);
            }
            await().atMost(LONG).until(() -> value(receiver, "weir.rate_limiting.requests", ALLOWED) == 1);
            assertThat(receiver.spans()).hasSize(1);
        }
    }

    @Test
    void aCollectorThatIsNotThereDelaysNoDecision() throws Exception {
        try (RunningServer server = RunningServer.with(
                rules(), "otlp", "http://127.0.0.1:1", "otlp_interval", "1s", "drain_timeout", "8s")) {
            for (int i = 0; i < 100; i++) {
                assertThat(server.http
                                .post("/v1/ratelimit/check", "{\"user_id\":\"u" + i + "\"}", "traceparent", SAMPLED)
                                .statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void eitherCanBeSwitchedOff() throws Exception {
        try (OtlpReceiver receiver = new OtlpReceiver()) {
            try (RunningServer server = RunningServer.with(
                    rules(), "otlp", receiver.url(), "otlp_metrics", "false", "drain_timeout", "8s")) {
                server.http.post("/v1/ratelimit/check", "{\"user_id\":\"u\"}", "traceparent", SAMPLED);
            }
            await().atMost(LONG).until(() -> !receiver.spans().isEmpty());
            assertThat(receiver.paths()).containsOnly("/v1/traces");
        }
        try (OtlpReceiver receiver = new OtlpReceiver()) {
            try (RunningServer server = RunningServer.with(
                    rules(), "otlp", receiver.url(), "otlp_traces", "false", "drain_timeout", "8s")) {
                server.http.post("/v1/ratelimit/check", "{\"user_id\":\"u\"}", "traceparent", SAMPLED);
            }
            await().atMost(LONG).until(() -> value(receiver, "weir.rate_limiting.requests", ALLOWED) == 1);
            assertThat(receiver.paths()).containsOnly("/v1/metrics");
        }
    }
}
