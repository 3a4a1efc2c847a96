package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir explain} and {@code weir check} of limits that are more than a rate: units, permits, loads. */
class ExplainedLimitsTest extends AtTheTerminal {
    @TempDir
    Path folder;

    private RunningServer server;

    @BeforeEach
    void start() throws Exception {
        server = RunningServer.with(Files.writeString(folder.resolve("rules.yaml"), """
                domain: llm
                key_by: api_key
                rules:
                  - name: output
                    counts: output_tokens
                    limit: { requests: 8000, window: 1h, algorithm: fixed_window }
                  - name: exports
                    match: { endpoint: /exports }
                    limit: { requests: 1, algorithm: concurrency }
                  - name: orders
                    match: { endpoint: /orders }
                    limit: { requests: 100, window: 1h }
                    follows: { service: payments, at: { 0.8: 1.0, 0.9: 0.5 } }
                  - name: queued
                    match: { endpoint: /queued }
                    limit: { requests: 1, window: 1h }
                    over: { queue: { max_wait: 3s } }
                  - name: late
                    match: { endpoint: /late }
                    limit: { requests: 1, window: 1h }
                    over: { tarpit: { delay: 2s } }
                """));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int explain(String... words) {
        List<String> all = new ArrayList<>(List.of("llm", "api_key=k"));
        all.addAll(List.of(words));
        return executeAt("http://127.0.0.1:" + server.server.admin().port(), "explain", all.toArray(String[]::new));
    }

    @Test
    void aUnitIsChargedAndExplained() {
        String http = "http://127.0.0.1:" + server.httpPort();
        List<String> check = List.of("check", "--url", http, "llm", "api_key=k", "--cost", "output_tokens=5000");
        assertThat(execute(check)).isZero();
        assertThat(out.toString()).contains("output", "3000 left");
        assertThat(explain("--cost", "output_tokens=3000")).isZero();
        assertThat(explain("--cost", "output_tokens=3100")).isEqualTo(1);
        assertThat(out.toString()).contains("it would be denied", "5000", "8000 per 1h", "passes in ");
        assertThat(execute(check)).isEqualTo(1);
    }

    @Test
    void aUnitThatNoRuleCountsIsNamed() {
        assertThat(explain("--cost", "output_token=1")).isZero();
        assertThat(out.toString()).contains("note: no rule counts \"output_token\" (did you mean \"output_tokens\"?)");
        assertThat(explain("--cost", "rows=1")).isZero();
        assertThat(out.toString()).contains("note: no rule counts \"rows\" (expected: one of \"output_tokens\")");
    }

    @Test
    void aConcurrencyLimitHasRoomWhenACallEnds() throws Exception {
        server.http.post(
                "/v1/concurrency/acquire",
                new JsonObject().put("api_key", "k").put("endpoint", "/exports").encode());
        assertThat(explain("endpoint=/exports")).isEqualTo(1);
        assertThat(out.toString()).contains("1 at once", "passes when one in flight ends");
    }

    @Test
    void aRequestThatWouldWaitOrBeAnsweredLateIsTold() throws Exception {
        server.http.post("/v1/ratelimit/check", "{\"domain\": \"llm\", \"api_key\": \"k\", \"endpoint\": \"/queued\"}");
        assertThat(explain("endpoint=/queued")).isEqualTo(1);
        assertThat(out.toString()).contains("waits up to 3s");
        server.http.post("/v1/ratelimit/check", "{\"domain\": \"llm\", \"api_key\": \"k\", \"endpoint\": \"/late\"}");
        assertThat(explain("endpoint=/late")).isEqualTo(1);
        assertThat(out.toString()).contains("denied after 2s");
    }

    @Test
    void aLimitThatALoadHasLoweredSaysSo() throws Exception {
        assertThat(explain("endpoint=/orders")).isZero();
        assertThat(out.toString()).containsPattern("100 per 1h +rule +room");
        await().untilAsserted(() -> {
            server.http.post("/v1/load/payments", "{\"utilisation\": 0.95}"); // as a reporter does
            assertThat(explain("endpoint=/orders")).isZero();
            assertThat(out.toString()).containsPattern("50 per 1h +50 % of the rule, by the load of payments +room");
        });
    }
}
