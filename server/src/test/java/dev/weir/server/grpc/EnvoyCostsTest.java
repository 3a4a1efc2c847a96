package dev.weir.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Envoy with the route of docs/holds.md reports what a call used when its stream ends, and denies during a debt. */
class EnvoyCostsTest {
    private static final String RULES = """
            domain: front
            rules:
              - name: tokens
                match: { api_key: "*" }
                key_by: api_key
                counts: output_tokens
                limit: { requests: 1000, window: 1h, algorithm: fixed_window }
              - name: calls
                match: { api_key: "*" }
                key_by: api_key
                limit: { requests: 5, window: 1h, algorithm: fixed_window }
            """;

    @TempDir
    Path folder;

    @Test
    void costsAreReportedWithTheStreamAndADebtDenies() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        HttpServer backend = backend();
        try (RunningServer weir = RunningServer.with(rules, "deadline", "5s");
                RunningEnvoy envoy = new RunningEnvoy(
                        folder,
                        "envoy-costs.yaml",
                        weir.grpcPort(),
                        backend.getAddress().getPort())) {
            assertThat(call(envoy, "a", "400")).isEqualTo(200);
            await().atMost(20, SECONDS).until(() -> left(weir, "tokens", "a") == 600);
            assertThat(call(envoy, "a", "599")).isEqualTo(200);
            await().atMost(20, SECONDS).until(() -> left(weir, "tokens", "a") == 1);
            assertThat(call(envoy, "a", "5000"))
                    .as("it has one left, and its cost is not known before")
                    .isEqualTo(200);
            await().atMost(20, SECONDS).until(() -> left(weir, "tokens", "a") == 0);
            assertThat(call(envoy, "a", "1")).as("a debt").isEqualTo(429);
            assertThat(call(envoy, "b", "7")).isEqualTo(200);
            await().atMost(20, SECONDS).until(() -> left(weir, "tokens", "b") == 993);
            assertThat(left(weir, "calls", "a"))
                    .as("descriptors of one unit touch no other")
                    .isEqualTo(5);
            assertThat(call(envoy, "c", "")).as("an answer without a cost").isEqualTo(200);
            assertThat(call(envoy, "c", "3")).isEqualTo(200);
            await().atMost(20, SECONDS).until(() -> left(weir, "tokens", "c") == 997);
        } finally {
            backend.stop(0);
        }
    }

    private static int call(RunningEnvoy envoy, String key, String tokens) throws Exception {
        return (tokens.isEmpty()
                        ? envoy.get("/", "x-api-key", key)
                        : envoy.get("/", "x-api-key", key, "x-uses", tokens))
                .get(20, SECONDS);
    }

    /** Says in a header what a call used, as a language model does. */
    private static HttpServer backend() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                String uses = exchange.getRequestHeaders().getFirst("x-uses");
                if (uses != null) {
                    exchange.getResponseHeaders().set("x-output-tokens", uses);
                }
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        return server;
    }

    private static long left(RunningServer weir, String rule, String key) throws Exception {
        JsonObject status = new JsonObject(weir.get("/v1/ratelimit/status/nobody?domain=front&api_key=" + key)
                .body());
        return status.getJsonArray("limits").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("name").equals(rule))
                .findFirst()
                .orElseThrow(() -> new AssertionError(status.encode()))
                .getLong("remaining");
    }
}
