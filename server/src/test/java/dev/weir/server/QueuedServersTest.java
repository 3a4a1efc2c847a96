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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    /** At 50 a second they are 20 ms apart. A stall of this machine moves answers, so a round that had one is repeated. */
    @Test
    void onARealServerAnswersComeAtTheRateOfTheLimit() throws Exception {
        int callers = 60;
        try (RunningServer server = RunningServer.with(folder.resolve("rules.yaml"));
                StallMeter stalls = new StallMeter()) {
            ask(server, "none", "warm");
            List<Double> medians = new ArrayList<>();
            do {
                stalls.reset();
                long began = System.nanoTime();
                List<Long> answered = answers(server, "u", callers).join();
                long took = answered.get(callers - 1) - began;
                assertThat(took / 1_000_000).as("59 of them at 50 a second").isGreaterThanOrEqualTo(1_175);
                List<Double> gaps = new ArrayList<>();
                for (int i = 1; i < callers; i++) {
                    gaps.add((answered.get(i) - answered.get(i - 1)) / 1e6);
                }
                gaps.sort(null);
                medians.add(gaps.get(gaps.size() / 2));
            } while (medians.size() < 10 && Math.abs(medians.get(medians.size() - 1) - 20) > 2);
            System.out.printf("answers from a queue at 50 a second: median gaps %s ms%n", medians);
            assertThat(medians.get(medians.size() - 1))
                    .as("the median gap of the last of the rounds: %s", medians)
                    .isBetween(18.0, 22.0);
        }
    }

    /** A caller with ten times as many requests in the queue does not make another wait for all of them. */
    @Test
    void onARealServerCallersTakeTurns() throws Exception {
        try (RunningServer server = RunningServer.with(folder.resolve("rules.yaml"))) {
            CompletableFuture<List<Long>> many = answers(server, "many", 80);
            await().pollInterval(Duration.ofMillis(10)).until(() -> waiting(server) >= 40);
            List<Long> few = answers(server, "few", 5).join();
            long first = few.get(0);
            long last = few.get(4);
            assertThat(many.join())
                    .filteredOn(each -> each > first && each < last)
                    .as("answers to the other between the five of this caller")
                    .hasSizeBetween(3, 6);
        }
    }

    /** Sends requests of {@code user} at once; when their answers came, in order. */
    private static CompletableFuture<List<Long>> answers(RunningServer server, String user, int requests) {
        ExecutorService threads = Executors.newFixedThreadPool(requests);
        List<CompletableFuture<Long>> each = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            each.add(CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            assertThat(ask(server, "export", user).statusCode()).isEqualTo(200);
                            return System.nanoTime();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    threads));
        }
        return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
                .thenApply(all ->
                        each.stream().map(CompletableFuture::join).sorted().toList())
                .whenComplete((all, failure) -> threads.shutdown());
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
