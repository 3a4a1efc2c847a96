package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.HttpCaller;
import dev.weir.server.RunningServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /metrics} in OpenMetrics, with the trace of a denial as an exemplar. */
class OpenMetricsTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-01";
    private static final String OPEN = "application/openmetrics-text";

    @TempDir
    Path folder;

    private RunningServer server;

    @BeforeEach
    void start() throws Exception {
        server = RunningServer.with(Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                key_by: user_id
                rules:
                  - { name: none, limit: { requests: 0, window: 1h } }
                  - { name: watched, shadow: true, limit: { requests: 0, window: 1h } }
                """));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aDenialShowsItsTraceAndTextIsUnchanged() throws Exception {
        check(SAMPLED);
        HttpResponse<String> open = metrics(OPEN + ";version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1");
        assertThat(open.headers().firstValue("Content-Type"))
                .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
        assertThat(open.body())
                .contains("# TYPE ratelimit_denied counter\n")
                .containsPattern("ratelimit_denied_total\\{domain=\"api\",rule=\"none\"} 1 # \\{trace_id=\"" + TRACE
                        + "\"} 1 \\d{10}\\.\\d{3}\n")
                .contains("ratelimit_denied_total{domain=\"api\",rule=\"watched\"} 0\n")
                .endsWith("# EOF\n");
        HttpResponse<String> text = metrics("text/plain");
        assertThat(text.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(text.body())
                .contains("# TYPE ratelimit_denied_total counter\n")
                .contains("ratelimit_denied_total{domain=\"api\",rule=\"none\"} 1\n")
                .doesNotContain("trace_id", "# EOF");
    }

    @Test
    void aCallOverGrpcShowsItsTrace() throws Exception {
        assertThat(server.grpc("api", "user_id", "u", "traceparent", SAMPLED)).isEqualTo(2);
        assertThat(server.grpc("api", "user_id", "u")).isEqualTo(2);
        assertThat(metrics(OPEN).body()).contains("rule=\"none\"} 2 # {trace_id=\"" + TRACE + "\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "00-" + TRACE + "-00f067aa0ba902b7-00",
                "ff-" + TRACE + "-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-" + TRACE + "-00f067aa0ba902b7-01-more",
                "00-4bf92f3577b34da6\"} 1 # {a=\"b-00f067aa0ba902b7-01",
                "x"
            })
    void aTraceThatIsNotRecordedOrNotWellFormedIsNotShown(String traceparent) throws Exception {
        check(traceparent);
        assertThat(metrics(OPEN).body()).contains("rule=\"none\"} 1\n").doesNotContain("trace_id");
    }

    @Test
    void everyFamilyHasOneTypeAndSamplesOfItsName() throws Exception {
        Set<String> families = new HashSet<>();
        String family = "";
        String type = "";
        for (String line : metrics(OPEN).body().split("\n", -1)) {
            if (line.startsWith("# TYPE ")) {
                family = line.split(" ", -1)[2];
                type = line.split(" ", -1)[3];
                assertThat(families.add(family)).as(line).isTrue();
            } else if (!line.startsWith("#") && !line.isEmpty()) {
                String name = line.split("[ {]", -1)[0];
                switch (type) {
                    case "counter" -> assertThat(name).isIn(family + "_total", family + "_created");
                    case "gauge", "unknown" -> assertThat(name).isEqualTo(family);
                    default -> assertThat(name).as(line).startsWith(family + "_");
                }
            }
        }
        assertThat(families).hasSizeGreaterThan(60);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/openmetrics-text;version=1.0.0,text/plain;q=0.5 | OPEN_METRICS",
                "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.9 | TEXT",
                "application/openmetrics-text;q=0 | TEXT",
                "application/openmetrics-text;q=x | TEXT",
                "APPLICATION/OPENMETRICS-TEXT | OPEN_METRICS",
                "*/* | TEXT",
                "text/html | TEXT"
            })
    void theFormatIsChosenByWhatTheCallerAccepts(String accept, MetricsFormat format) {
        assertThat(MetricsFormat.accepted(accept)).isEqualTo(format);
        assertThat(MetricsFormat.accepted(null)).isEqualTo(MetricsFormat.TEXT);
    }

    private void check(String traceparent) throws Exception {
        assertThat(server.http
                        .post("/v1/ratelimit/check", "{\"user_id\":\"u\"}", "traceparent", traceparent)
                        .statusCode())
                .isEqualTo(429);
    }

    private HttpResponse<String> metrics(String accept) throws Exception {
        HttpCaller http = server.http;
        return http.send(http.request("/metrics").header("Accept", accept).GET());
    }
}
