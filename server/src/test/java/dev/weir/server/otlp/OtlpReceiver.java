package dev.weir.server.otlp;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** A collector that keeps what it is sent, read with OpenTelemetry's own messages. */
final class OtlpReceiver implements AutoCloseable {
    private final HttpServer server;
    private final Set<String> paths = ConcurrentHashMap.newKeySet();
    private final Map<String, Metric> metrics = new HashMap<>();
    private final Map<String, String> resource = new TreeMap<>();
    private final Map<String, String> headers = new TreeMap<>();
    private final List<Span> spans = new ArrayList<>();
    private final StringBuilder received = new StringBuilder();

    OtlpReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::receive);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void receive(HttpExchange call) throws IOException {
        try (call) {
            byte[] body = call.getRequestBody().readAllBytes();
            String path = call.getRequestURI().getPath();
            paths.add(path);
            if (path.equals("/v1/metrics")) {
                metrics(ExportMetricsServiceRequest.parseFrom(body), call);
            } else {
                spans(ExportTraceServiceRequest.parseFrom(body));
            }
            call.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            call.sendResponseHeaders(200, -1);
        }
    }

    private synchronized void metrics(ExportMetricsServiceRequest request, HttpExchange call) {
        received.append(request);
        call.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
        for (ResourceMetrics each : request.getResourceMetricsList()) {
            for (KeyValue attribute : each.getResource().getAttributesList()) {
                resource.put(attribute.getKey(), attribute.getValue().getStringValue());
            }
            for (ScopeMetrics scope : each.getScopeMetricsList()) {
                scope.getMetricsList().forEach(metric -> metrics.put(metric.getName(), metric));
            }
        }
    }

    private synchronized void spans(ExportTraceServiceRequest request) {
        received.append(request);
        for (ResourceSpans each : request.getResourceSpansList()) {
            for (ScopeSpans scope : each.getScopeSpansList()) {
                spans.addAll(scope.getSpansList());
            }
        }
    }

    /** The metric as it was last sent; empty if it was not. */
    synchronized Metric metric(String name) {
        return metrics.getOrDefault(name, Metric.getDefaultInstance());
    }

    synchronized List<Span> spans() {
        return List.copyOf(spans);
    }

    synchronized Map<String, String> resource() {
        return Map.copyOf(resource);
    }

    /** The headers of the last metrics. */
    synchronized Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    Set<String> paths() {
        return Set.copyOf(paths);
    }

    /** Everything that was sent, as text. */
    synchronized String received() {
        return received.toString();
    }

    static String hex(ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
