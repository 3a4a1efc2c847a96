package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers on one Redis, and a client that sends its request again to whichever answers. */
class IdempotentServersTest {
    private static final String RULES = """
            domain: api
            rules:
              - { name: ten, match: { kind: ten }, key_by: user_id, limit: { requests: 10, window: 1h } }
              - { name: many, match: { kind: many }, key_by: user_id, limit: { requests: 1000, window: 1h } }
              - { name: all, match: { kind: [ten, many] }, key_by: [], limit: { requests: 1000, window: 1h, algorithm: fixed_window } }
              - { name: tenant, match: { kind: tenant }, key_by: tenant, limit: { requests: 1000, window: 1h } }
              - { name: address, match: { kind: address }, key_by: ip, limit: { requests: 10, window: 1h } }
              - { name: second, match: { kind: second }, key_by: user_id, limit: { requests: 1, window: 1s } }
              - { name: own, match: { kind: own }, key_by: user_id, consistency: local, limit: { requests: 5, window: 1h } }
              - { name: open, match: { kind: open }, key_by: user_id, limit: { requests: 5, window: 1h } }
            """;
    private static final int KEYS = 50;

    private static RedisProcess redis;
    private static RunningServer one;
    private static RunningServer two;
    private static RunningServer three;

    @TempDir
    static Path folder;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisProcess.start();
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        one = server(rules);
        two = server(rules);
        three = server(rules);
    }

    private static RunningServer server(Path rules) throws Exception {
        String keys = Integer.toString(KEYS);
        // A whole test on two cores: the deadline is not what is tested here.
        return RunningServer.with(rules, "store", redis.uri(), "deadline", "5s", "idempotency_keys", keys);
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
        three.close();
        redis.close();
    }

    /** The servers go on from test to test, and remember: each test has users of its own. */
    private static int test;

    @BeforeEach
    void flush() {
        test++;
        redis.cli("FLUSHALL");
    }

    /** The next test finds a Redis, and servers that have found it. */
    @AfterEach
    void goOn() {
        if (!redis.isRunning()) {
            redis.restart();
        }
        for (RunningServer each : List.of(one, two, three)) {
            await().until(() -> each.http.get("/healthcheck").body().equals("OK"));
        }
    }

    private static HttpResponse<String> send(RunningServer server, String kind, String user, int cost, String key)
            throws IOException, InterruptedException {
        JsonObject body = new JsonObject()
                .put("kind", kind)
                .put("user_id", user + "-" + test)
                .put("cost", cost);
        return server.http.post("/v1/ratelimit/check", body.encode(), "Idempotency-Key", key);
    }

    private static boolean isReplayed(HttpResponse<String> response) {
        return response.headers().firstValue("Idempotent-Replayed").isPresent();
    }

    private static long remaining(HttpResponse<String> response) {
        return new JsonObject(response.body()).getLong("remaining");
    }

    @Test
    void aRetryAtTheOtherServerIsNotChargedAndToldTheSame() throws Exception {
        HttpResponse<String> first = send(one, "ten", "u", 3, "k");
        HttpResponse<String> again = send(two, "ten", "u", 3, "k");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(isReplayed(first)).isFalse();
        assertThat(isReplayed(again)).isTrue();
        assertThat(again.headers().allValues("Idempotent-Replayed")).containsExactly("true");
        JsonObject toldFirst = new JsonObject(first.body());
        JsonObject toldAgain = new JsonObject(again.body());
        // Each server adds to its own clock and rounds up to a second.
        assertThat(toldAgain.getLong("reset_at")).isCloseTo(toldFirst.getLong("reset_at"), within(1L));
        assertThat(toldAgain.put("reset_at", 0)).isEqualTo(toldFirst.put("reset_at", 0));
        assertThat(remaining(send(two, "ten", "u", 3, "next"))).isEqualTo(4);
    }

    @Test
    void aRetryAtTheSameServerDoesNotAskRedis() throws Exception {
        send(one, "ten", "u", 3, "k");
        Long calls = redis.commandCalls().get("evalsha");
        assertThat(isReplayed(send(one, "ten", "u", 3, "k"))).isTrue();
        assertThat(redis.commandCalls().get("evalsha")).isNotNull().isEqualTo(calls);
    }

    @Test
    void anotherBodyIsAConflictAtTheOtherServerAlsoIfItCountsElsewhere() throws Exception {
        JsonObject body = new JsonObject().put("kind", "address").put("user_id", "u-" + test);
        String here = body.put("ip", "192.0.2.1").encode();
        String elsewhere = body.put("ip", "192.0.2.2").encode();
        assertThat(one.http
                        .post("/v1/ratelimit/check", here, "Idempotency-Key", "k")
                        .statusCode())
                .isEqualTo(200);
        assertThat(two.http
                        .post("/v1/ratelimit/check", elsewhere, "Idempotency-Key", "k")
                        .statusCode())
                .isEqualTo(422);
    }

    @Test
    void retriesAtBothServersAtOnceAreOneChargeAndAllPass() throws Exception {
        int rounds = 25;
        CyclicBarrier together = new CyclicBarrier(4);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < rounds; round++) {
                String key = "k" + round;
                String user = "u" + round;
                List<Callable<HttpResponse<String>>> calls = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    RunningServer server = i % 2 == 0 ? one : two;
                    calls.add(() -> {
                        together.await();
                        // Twice this does not fit: whoever is charged a second time is denied.
                        return send(server, "ten", user, 6, key);
                    });
                }
                int charged = 0;
                for (Future<HttpResponse<String>> each : threads.invokeAll(calls)) {
                    assertThat(each.get().statusCode()).isEqualTo(200);
                    charged += isReplayed(each.get()) ? 0 : 1;
                }
                assertThat(charged).isOne();
                assertThat(remaining(send(one, "ten", user, 0, "look"))).isEqualTo(4);
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void anAdmittedRequestIsToldSoAlthoughItsCounterIsOverAndKnownToBe() throws Exception {
        send(one, "ten", "u", 4, "k");
        send(one, "ten", "u", 6, "rest");
        for (int i = 0; i < 3; i++) {
            assertThat(send(two, "ten", "u", 4, "denied").statusCode()).isEqualTo(429);
        }
        HttpResponse<String> again = send(two, "ten", "u", 4, "k");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(isReplayed(again)).isTrue();
        assertThat(remaining(again)).isEqualTo(6);
    }

    @Test
    void aServerThatDeniedAKeyReplaysWhatAnotherAdmittedSince() throws Exception {
        assertThat(send(one, "ten", "u", 10, "fill").statusCode()).isEqualTo(200);
        assertThat(send(three, "ten", "u", 1, "k").statusCode()).isEqualTo(429);
        redis.cli("FLUSHALL"); // there is room, and the third server has not heard of it
        assertThat(send(one, "ten", "u", 1, "k").statusCode()).isEqualTo(200);
        for (RunningServer each : List.of(two, three)) {
            HttpResponse<String> again = send(each, "ten", "u", 1, "k");
            assertThat(again.statusCode()).isEqualTo(200);
            assertThat(isReplayed(again)).isTrue();
        }
    }

    @Test
    void tenantsOfOneDomainHaveKeysOfTheirOwn() throws Exception {
        JsonObject a = new JsonObject()
                .put("kind", "tenant")
                .put("tenant", "a-" + test)
                .put("cost", 1);
        JsonObject b = new JsonObject()
                .put("kind", "tenant")
                .put("tenant", "b-" + test)
                .put("cost", 2);
        for (RunningServer each : List.of(one, two)) {
            for (JsonObject body : List.of(a, b)) {
                HttpResponse<String> answer =
                        each.http.post("/v1/ratelimit/check", body.encode(), "Idempotency-Key", "k");
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(isReplayed(answer)).isEqualTo(each == two);
            }
        }
        for (int i = 0; i < 2 * KEYS; i++) {
            one.http.post("/v1/ratelimit/check", a.encode(), "Idempotency-Key", "flood" + i);
        }
        assertThat(isReplayed(two.http.post("/v1/ratelimit/check", b.encode(), "Idempotency-Key", "k")))
                .as("a flood of one tenant leaves the keys of the other")
                .isTrue();
    }

    @Test
    void aDenialIsNotKeptAndWhoRetriesItGetsThroughWhenThereIsRoom() throws Exception {
        assertThat(send(one, "second", "u", 1, "fill").statusCode()).isEqualTo(200);
        assertThat(send(one, "second", "u", 1, "k").statusCode()).isEqualTo(429);
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            HttpResponse<String> later = send(two, "second", "u", 1, "k");
            assertThat(isReplayed(later)).isFalse();
            return later.statusCode() == 200;
        });
        assertThat(isReplayed(send(one, "second", "u", 1, "k"))).isTrue();
    }

    @Test
    void anotherBodyUnderTheSameKeyIs422AtEitherServerAndChargesNothing() throws Exception {
        send(one, "ten", "u", 3, "k");
        for (RunningServer server : List.of(one, two)) {
            HttpResponse<String> other = send(server, "ten", "u", 2, "k");
            assertThat(other.statusCode()).isEqualTo(422);
            assertThat(new JsonObject(other.body()).getString("detail"))
                    .startsWith("Idempotency-Key: ")
                    .contains("was used for a different request");
        }
        assertThat(remaining(send(one, "ten", "u", 0, "look"))).isEqualTo(7);
    }

    @Test
    void keysBelongToTheirCaller() throws Exception {
        send(one, "ten", "u", 3, "k");
        HttpResponse<String> other = send(two, "ten", "v", 2, "k");
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(isReplayed(other)).isFalse();
    }

    @Test
    void aFloodOfKeysPushesOutItsOwnAndNoCounter() throws Exception {
        send(one, "ten", "quiet", 3, "k");
        for (int i = 0; i < 4 * KEYS; i++) {
            send(one, "many", "loud", 1, "k" + i);
        }
        assertThat(keysKept()).isEqualTo(KEYS + 1);
        assertThat(bytesKept() / (KEYS + 1)).isLessThan(400);
        assertThat(isReplayed(send(two, "many", "loud", 1, "k" + (4 * KEYS - 1))))
                .isTrue();
        assertThat(isReplayed(send(two, "many", "loud", 1, "k0"))).isFalse();
        assertThat(isReplayed(send(two, "ten", "quiet", 3, "k"))).isTrue();
        assertThat(remaining(send(two, "ten", "quiet", 0, "look"))).isEqualTo(7);
    }

    /** Idempotency keys in Redis, which has a ring beside them. */
    private static long keysKept() {
        long kept = 0;
        for (Object key : list("KEYS", "weir:*/idem:*")) {
            for (Object field : list("HKEYS", key.toString())) {
                kept += field.toString().matches("#\\d*") ? 0 : 1;
            }
        }
        return kept;
    }

    private static long bytesKept() {
        long bytes = 0;
        for (Object key : list("KEYS", "weir:*/idem:*")) {
            bytes += redis.cli("MEMORY", "USAGE", key.toString(), "SAMPLES", "0") instanceof Long used ? used : 0;
        }
        return bytes;
    }

    private static List<?> list(String... command) {
        return redis.cli(command) instanceof List<?> list ? list : List.of();
    }

    @Test
    void whatNoStoreCountsIsRememberedByTheServerThatAnswered() throws Exception {
        assertThat(send(one, "own", "u", 3, "k").statusCode()).isEqualTo(200);
        assertThat(isReplayed(send(one, "own", "u", 3, "k"))).isTrue();
        assertThat(isReplayed(send(two, "own", "u", 3, "k"))).isFalse();
        assertThat(redis.keysWithoutNotes()).isEmpty();
    }

    @Test
    void withoutRedisTheServerThatAnsweredRemembersAndRedisDoesNot() throws Exception {
        redis.kill();
        HttpResponse<String> degraded = send(one, "open", "u", 3, "k");
        assertThat(degraded.statusCode()).isEqualTo(200);
        assertThat(degraded.headers().firstValue("X-RateLimit-Degraded")).contains("true");
        redis.restart();
        AtomicInteger looks =
                new AtomicInteger(); // each with a key of its own: it, too, remembers what it said without Redis
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            HttpResponse<String> back = send(two, "open", "v", 0, "look" + looks.incrementAndGet());
            assertThat(back.headers().firstValue("X-RateLimit-Degraded")).isEmpty();
        });
        assertThat(isReplayed(send(one, "open", "u", 3, "k"))).isTrue();
        assertThat(isReplayed(send(two, "open", "u", 3, "k"))).isFalse();
    }
}
