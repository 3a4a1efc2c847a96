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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Envoy with the route of docs/envoy.md takes a permit for each request, and gives it back when its stream ends. */
class EnvoyConcurrencyTest {
    private static final int LIMIT = 3;
    private static final String RULES = """
            domain: front
            rules:
              - name: in-flight
                match: { user: "*" }
                key_by: user
                limit: { requests: 3, algorithm: concurrency, permit_ttl: TTL }
              - name: rate
                match: { user: "*" }
                key_by: user
                limit: { requests: 1000, window: 1h, algorithm: fixed_window }
            """;

    @TempDir
    Path folder;

    @Test
    void permitsAreTakenAndGivenBackWithTheStream() throws Exception {
        try (SlowBackend backend = new SlowBackend();
                RunningServer weir = RunningServer.with(rules("60s"), "deadline", "5s");
                RunningEnvoy envoy =
                        new RunningEnvoy(folder, "envoy-concurrency.yaml", weir.grpcPort(), backend.port())) {
            for (int round = 0; round < 2; round++) {
                List<CompletableFuture<Integer>> held = new ArrayList<>();
                for (int i = 0; i < LIMIT; i++) {
                    held.add(get(envoy, "a"));
                }
                await().atMost(20, SECONDS).until(() -> backend.waiting() == LIMIT);
                assertThat(inFlight(weir, "a")).isEqualTo(LIMIT);
                assertThat(get(envoy, "a").get(20, SECONDS)).isEqualTo(429);
                assertThat(get(envoy, "a").get(20, SECONDS)).isEqualTo(429);
                assertThat(inFlight(weir, "a"))
                        .as("a denied one gives nothing back")
                        .isEqualTo(LIMIT);
                backend.answer(LIMIT);
                for (CompletableFuture<Integer> each : held) {
                    assertThat(each.get(20, SECONDS)).isEqualTo(200);
                }
                await().atMost(20, SECONDS).until(() -> inFlight(weir, "a") == 0);
            }
            assertThat(used(weir, "rate", "a")).as("give-backs touch no rate").isEqualTo(2 * LIMIT);
        }
    }

    @Test
    void permitsComeBackWhenEnvoyDies() throws Exception {
        try (SlowBackend backend = new SlowBackend();
                RunningServer weir = RunningServer.with(rules("3s"), "deadline", "5s")) {
            try (RunningEnvoy envoy =
                    new RunningEnvoy(folder, "envoy-concurrency.yaml", weir.grpcPort(), backend.port())) {
                for (int i = 0; i < LIMIT; i++) {
                    var unused = get(envoy, "a");
                }
                await().atMost(20, SECONDS).until(() -> backend.waiting() == LIMIT);
                envoy.kill();
            }
            await().atMost(20, SECONDS).until(() -> inFlight(weir, "a") == 0);
            backend.answer(LIMIT);
        }
    }

    private static CompletableFuture<Integer> get(RunningEnvoy envoy, String user) {
        return envoy.get("/", "x-user", user);
    }

    private Path rules(String ttl) throws IOException {
        return Files.writeString(folder.resolve("rules.yaml"), RULES.replace("TTL", ttl));
    }

    private static long inFlight(RunningServer weir, String user) throws Exception {
        return limit(weir, "in-flight", user).getLong("in_flight");
    }

    private static long used(RunningServer weir, String rule, String user) throws Exception {
        JsonObject limit = limit(weir, rule, user);
        return limit.getLong("limit") - limit.getLong("remaining");
    }

    private static JsonObject limit(RunningServer weir, String rule, String user) throws Exception {
        JsonObject status = new JsonObject(weir.get("/v1/ratelimit/status/nobody?domain=front&user=" + user)
                .body());
        return status.getJsonArray("limits").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("name").equals(rule))
                .findFirst()
                .orElseThrow(() -> new AssertionError(status.encode()));
    }

    /** Answers when it is told to. */
    private static final class SlowBackend implements AutoCloseable {
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final Semaphore answers = new Semaphore(0);
        private final AtomicInteger waiting = new AtomicInteger();
        private final HttpServer server;

        SlowBackend() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                try (exchange) {
                    if (!"/warm-up".equals(exchange.getRequestURI().getPath())) {
                        waiting.incrementAndGet();
                        answers.acquireUninterruptibly();
                        waiting.decrementAndGet();
                    }
                    exchange.sendResponseHeaders(200, -1);
                }
            });
            server.start();
        }

        int port() {
            return server.getAddress().getPort();
        }

        int waiting() {
            return waiting.get();
        }

        void answer(int requests) {
            answers.release(requests);
        }

        @Override
        public void close() {
            answers.release(1_000);
            server.stop(0);
            threads.shutdownNow();
        }
    }
}
