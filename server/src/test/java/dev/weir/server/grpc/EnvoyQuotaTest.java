package dev.weir.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.Request;
import dev.weir.server.RunningServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real Envoys with the filter of docs/rlqs.md spend hits by themselves, and no more than one limit has. */
class EnvoyQuotaTest {
    private static final int LIMIT = 20;

    private static final String RULES = """
            domain: front
            rules:
              - name: per user
                match: { user: "ann" }
                key_by: user
                limit: { requests: %d, window: 1h, algorithm: fixed_window }
            """.formatted(LIMIT);

    @TempDir
    Path folder;

    @Test
    void twoEnvoysSpendOneLimit() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        HttpServer backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(200, -1);
            }
        });
        backend.start();
        int back = backend.getAddress().getPort();
        try (RunningServer weir = RunningServer.with(rules, "deadline", "5s");
                RunningEnvoy one = envoy("one", weir, back);
                RunningEnvoy two = envoy("two", weir, back)) {
            await().atMost(30, SECONDS).until(() -> call(one, "bob") == 200 && call(two, "bob") == 200);
            int passed = 0;
            long end = System.nanoTime() + SECONDS.toNanos(60);
            while (left(weir) > 0 && System.nanoTime() - end < 0) {
                passed += call(one, "ann") == 200 ? 1 : 0;
                passed += call(two, "ann") == 200 ? 1 : 0;
            }
            // All hits are granted; whatever each Envoy still has, it spends.
            for (int i = 0; i < 2 * LIMIT; i++) {
                passed += call(one, "ann") == 200 ? 1 : 0;
                passed += call(two, "ann") == 200 ? 1 : 0;
            }
            assertThat(left(weir)).isZero();
            assertThat(passed).isBetween(LIMIT / 2, LIMIT);
            assertThat(call(one, "ann")).isEqualTo(429);
            assertThat(call(two, "ann")).isEqualTo(429);
            // No rule limits it: it passes from its first assignment on.
            await().atMost(30, SECONDS).until(() -> call(one, "carl") == 200);
        } finally {
            backend.stop(0);
        }
    }

    private RunningEnvoy envoy(String name, RunningServer weir, int back) throws Exception {
        return new RunningEnvoy(Files.createDirectory(folder.resolve(name)), "envoy-quota.yaml", weir.grpcPort(), back);
    }

    private static int call(RunningEnvoy envoy, String user) throws Exception {
        return envoy.get("/", "x-user", user).get(20, SECONDS);
    }

    /** The hits that are left of the limit. */
    private static long left(RunningServer weir) {
        return weir.server
                .limiter()
                .probe(Request.to("front").with("user", "ann").asAttributes().hits(1))
                .toCompletableFuture()
                .join()
                .decision()
                .verdict(0)
                .remaining();
    }
}
