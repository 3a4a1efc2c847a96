package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.server.lifecycle.StartException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionSinkServerTest {
    @TempDir
    Path folder;

    private Path rules;
    private Path file;

    @BeforeEach
    void writeRules() throws Exception {
        rules = folder.resolve("rules.yaml");
        file = folder.resolve("out/decisions.jsonl");
        Files.writeString(rules, """
                domain: api
                key_by: user_id
                rules:
                  - name: few
                    limit: { requests: 2, window: 1h, algorithm: fixed_window }
                """);
    }

    @Test
    void denialsOfEverySurfaceAreLinesAndCountedAndThoseUnderWayAreWrittenAtTheEnd() throws Exception {
        RunningServer running = RunningServer.with(
                rules, "decisions_file", file.toString(), "decisions_key", "plain", "node", "node-7");
        try (running) {
            for (int i = 0; i < 4; i++) {
                running.http.check(new JsonObject().put("user_id", "u_1"));
            }
            for (int i = 0; i < 3; i++) {
                running.grpc("api", "user_id", "u_2");
            }
            await().until(() ->
                    running.get("/metrics").body().contains("ratelimit_decision_lines_total{sink=\"file\"} 3.0"));
            running.grpc("api", "user_id", "u_2");
        }

        List<JsonObject> lines =
                Files.readAllLines(file).stream().map(JsonObject::new).toList();
        assertThat(lines)
                .extracting(each -> each.getString("key"))
                .containsExactly("user_id=u_1", "user_id=u_1", "user_id=u_2", "user_id=u_2");
        assertThat(lines).allSatisfy(each -> {
            assertThat(each.getString("node")).isEqualTo("node-7");
            assertThat(each.getString("rule")).isEqualTo("few");
            assertThat(each.getString("source")).contains("rules.yaml:4:");
            assertThat(each.getDouble("retry_after")).isBetween(0.0, 3_600.0);
            assertThat(each.getBoolean("passed")).isFalse();
        });
    }

    @Test
    void aBrokerThatIsAwayIsNoticedInTheMetricsAlone() throws Exception {
        try (RunningServer running = RunningServer.with(
                rules, "decisions_kafka", "kafka://127.0.0.1:1/decisions", "decisions_sample", "1")) {
            for (int i = 0; i < 3; i++) {
                assertThat(running.http
                                .check(new JsonObject().put("user_id", "u_" + i))
                                .statusCode())
                        .isEqualTo(200);
            }
            await().until(() -> running.get("/metrics")
                    .body()
                    .contains("ratelimit_decision_lines_dropped_total{sink=\"kafka\"} 3.0"));
            assertThat(running.get("/healthcheck").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void withoutASinkTheSeriesAreThereAtZeroAndNothingIsWritten() throws Exception {
        try (RunningServer running = RunningServer.with(rules)) {
            for (int i = 0; i < 4; i++) {
                running.http.check(new JsonObject().put("user_id", "u_1"));
            }
            assertThat(running.get("/metrics").body())
                    .contains(
                            "ratelimit_decision_lines_total{sink=\"file\"} 0.0",
                            "ratelimit_decision_lines_dropped_total{sink=\"kafka\"} 0.0",
                            "ratelimit_decision_requests_dropped_total 0.0",
                            "ratelimit_store_failures_total{reason=\"timeout\"} 0",
                            "ratelimit_give_backs_total 0");
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(each -> each.getName().equals("weir-decisions"));
        assertThat(file).doesNotExist();
    }

    @Test
    void propertiesThatCannotBeKeepTheServerFromStarting() throws Exception {
        Path properties = Files.writeString(folder.resolve("kafka.properties"), "linger.ms=soon\n");
        assertThatThrownBy(() -> RunningServer.with(
                        rules,
                        "decisions_kafka",
                        "kafka://127.0.0.1:1/decisions",
                        "decisions_kafka_properties",
                        properties.toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("linger.ms");
    }
}
