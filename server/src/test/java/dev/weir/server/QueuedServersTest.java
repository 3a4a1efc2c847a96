package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one Redis, and callers that wait for their turn. */
class QueuedServersTest {
    private static final String RULES = """
            domain: api
            rules:
              - name: exports
                match: { kind: export }
                limit: { requests: 50, window: 1s, burst: 1 }
                over: { queue: { max_wait: 30s, max_waiting: 100 } }
              - name: trapped
                match: { kind: trapped }
                key_by: user_id
                limit: { requests: 0, window: 1h, algorithm: fixed_window }
                over: { tarpit: { delay: 200ms } }
            """;

    private static RedisProcess redis;
    private static RunningServer one;
    private static RunningServer two;

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisProcess.start();
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        one = RunningServer.with(rules, "store", redis.uri(), "deadline", "5s");
        two = RunningServer.with(rules, "store", redis.uri(), "deadline", "5s");
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
        redis.close();
    }

    private static HttpResponse<String> ask(RunningServer server, String kind, String user) throws Exception {
        return server.http.check(
                new JsonObject().put("domain", "api").put("kind", kind).put("user_id", user));
    }

    @Test
    void allPassInTurnAndTogetherNotFasterThanTheLimit() throws Exception {
        int callers = 60;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            long start = System.nanoTime();
            List<Future<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                RunningServer server = i % 2 == 0 ? one : two;
                String user = "u" + i;
                answers.add(threads.submit(() -> ask(server, "export", user)));
            }
            for (Future<HttpResponse<String>> each : answers) {
                assertThat(each.get().statusCode()).as(each.get().body()).isEqualTo(200);
            }
            long millis = (System.nanoTime() - start) / 1_000_000;
            assertThat(millis).as("59 of them at 50 a second").isGreaterThanOrEqualTo(1_150);
            assertThat(one.get("/metrics").body()).contains("ratelimit_waits_total{result=\"admitted\"}");
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void whoLeavesGivesUpItsPlace() throws Exception {
        String body = "{\"domain\":\"api\",\"kind\":\"export\",\"user_id\":\"gone\"}";
        String request = "POST /v1/ratelimit/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: " + body.length() + "\r\n\r\n" + body;
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), one.httpPort());
            sockets.add(socket);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        }
        await().until(() -> waiting(one) > 0);
        for (Socket each : sockets) {
            each.close();
        }
        await().until(() -> waiting(one) == 0);
    }

    private static double waiting(RunningServer server) throws Exception {
        return server.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("ratelimit_waiting "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    @Test
    void aTarpitHoldsADenialAndAnswersTheNextAtOnce() throws Exception {
        long start = System.nanoTime();
        HttpResponse<String> held = ask(two, "trapped", "bot");
        assertThat(held.statusCode()).isEqualTo(429);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(150_000_000L);
        assertThat(two.get("/metrics").body()).contains("ratelimit_waits_total{result=\"tarpitted\"} 1");
    }
}
