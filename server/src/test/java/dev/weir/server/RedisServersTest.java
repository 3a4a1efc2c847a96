package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.server.lifecycle.StartException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole servers that count in a real Redis. */
class RedisServersTest {
    private static final String RULES = """
            domain: api
            rules:
              - { name: shared, match: { kind: shared }, limit: { requests: 1000, window: 1h, algorithm: fixed_window } }
              - { name: leased, match: { kind: leased }, consistency: leased, lease_interval: 2s, limit: { requests: 900, window: 1h, algorithm: fixed_window } }
              - { name: open, match: { kind: open }, key_by: id, limit: { requests: 5, window: 1h } }
              - { name: shut, match: { kind: shut }, key_by: id, on_fail: deny, limit: { requests: 5, window: 1h } }
              - { name: alone, match: { kind: alone }, key_by: id, on_fail: local, limit: { requests: 5, window: 1h } }
            """;

    private static RedisProcess redis;

    @TempDir
    Path folder;

    private final List<RunningServer> servers = new ArrayList<>();

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @AfterEach
    void close() {
        servers.forEach(RunningServer::close);
        if (!redis.isRunning()) {
            redis.restart();
        }
        redis.cli("FLUSHALL");
    }

    @Test
    void threeServersOnOneRedisLetExactlyTheLimitPassOverGrpcAndRest() throws Exception {
        for (int i = 0; i < 3; i++) {
            // A whole test on two cores: the deadline is not what is tested here.
            server(RULES, "deadline", "5s");
        }
        List<Callable<Integer>> callers = new ArrayList<>();
        for (RunningServer each : servers) {
            callers.add(() -> passed(() -> each.grpc("api", "kind", "shared") == 1));
            callers.add(() -> passed(() -> check(each, "shared", "").statusCode() == 200));
        }
        int passed = 0;
        ExecutorService threads = Executors.newFixedThreadPool(callers.size());
        try {
            for (Future<Integer> each : threads.invokeAll(callers)) {
                passed += each.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(passed).isEqualTo(1_000);
        assertThat(metric(servers.get(0), "ratelimit_degraded_total{domain=\"api\",rule=\"shared\"}"))
                .isZero();
        assertThat(metric(servers.get(0), "ratelimit_redis_answered_total{store=\"default\"}"))
                .isPositive();
    }

    @Test
    void aServerThatStopsGivesBackWhatItHadLeased() throws Exception {
        RunningServer stopping = server(RULES, "deadline", "5s");
        RunningServer staying = server(RULES, "deadline", "5s");
        assertThat(metric(stopping, "ratelimit_leases_total")).isZero();
        for (int i = 0; i < 50; i++) {
            assertThat(stopping.grpc("api", "kind", "leased")).isEqualTo(1);
        }
        assertThat(metric(stopping, "ratelimit_leases_total")).isPositive();
        assertThat(metric(stopping, "ratelimit_leased_decisions_total")).isPositive();
        assertThat(metric(stopping, "ratelimit_lease_held_hits")).isPositive();
        stopping.close();
        servers.remove(stopping);
        JsonObject first = new JsonObject(check(staying, "leased", "").body());
        assertThat(first.getLong("remaining")).isEqualTo(900 - 50 - 1);
    }

    private static int passed(Callable<Boolean> call) throws Exception {
        int passed = 0;
        for (int i = 0; i < 400; i++) {
            passed += call.call() ? 1 : 0;
        }
        return passed;
    }

    @Test
    void withoutRedisEachRuleDoesWhatItSaysAndWithItAgainTheyCountWhereTheyLeftOff() throws Exception {
        RunningServer server = server(RULES, "deadline", "500ms");
        for (int i = 0; i < 3; i++) {
            assertThat(check(server, "open", "a").statusCode()).isEqualTo(200);
        }
        redis.kill();
        await().untilAsserted(
                        () -> assertThat(server.get("/healthcheck").body()).startsWith("OK, degraded: store default"));
        assertThat(server.get("/healthcheck").statusCode()).isEqualTo(200);

        for (int i = 0; i < 10; i++) {
            HttpResponse<String> open = check(server, "open", "a");
            assertThat(open.statusCode()).isEqualTo(200);
            assertThat(open.headers().firstValue("X-RateLimit-Degraded")).contains("true");
            assertThat(new JsonObject(open.body()).getBoolean("degraded")).isTrue();
        }
        HttpResponse<String> shut = check(server, "shut", "a");
        assertThat(shut.statusCode()).isEqualTo(503);
        assertThat(shut.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(shut.headers().firstValue("Retry-After").map(Integer::parseInt))
                .hasValueSatisfying(seconds -> assertThat(seconds).isBetween(1, 2));
        JsonObject problem = new JsonObject(shut.body());
        assertThat(problem.getBoolean("allowed")).isFalse();
        assertThat(problem.getBoolean("degraded")).isTrue();
        assertThat(problem.getString("reason")).isEqualTo("store_down");
        assertThat(problem.getString("detail")).startsWith("denied by shut (").contains("its store does not answer");
        assertThat(server.post("/json", rls("shut")).statusCode()).isEqualTo(429);
        int alone = 0;
        for (int i = 0; i < 10; i++) {
            alone += check(server, "alone", "a").statusCode() == 200 ? 1 : 0;
        }
        assertThat(alone).isEqualTo(5);
        HttpResponse<String> sixth = check(server, "alone", "a");
        assertThat(sixth.statusCode()).isEqualTo(429);
        assertThat(sixth.headers().firstValue("Retry-After").map(Integer::parseInt))
                .hasValueSatisfying(seconds -> assertThat(seconds).isBetween(1, 2));
        assertThat(new JsonObject(sixth.body()).getString("detail"))
                .isEqualTo("denied by alone (5 per 1h, token_bucket) for id=a: its store does not answer, and the rule"
                        + " says on_fail: local; the share of this process is used up");
        assertThat(new JsonObject(sixth.body()).containsKey("passes_at")).isFalse();
        assertThat(server.get("/metrics").body())
                .contains("ratelimit_failopen_total{domain=\"api\",rule=\"open\"} 10")
                .contains("ratelimit_degraded_total{domain=\"api\",rule=\"alone\"} 11")
                .contains("ratelimit_failopen_total{domain=\"api\",rule=\"alone\"} 0")
                .contains("ratelimit_redis_up{store=\"default\",node=\"" + redis.address() + "\"} 0");

        redis.restart();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            HttpResponse<String> back = check(server, "shut", "b");
            assertThat(back.statusCode()).isEqualTo(200);
            assertThat(back.headers().firstValue("X-RateLimit-Degraded")).isEmpty();
        });
        assertThat(server.get("/healthcheck").body()).isEqualTo("OK");
    }

    @Test
    void aServerStartsWithoutItsRedisAndFindsItLater() throws Exception {
        redis.kill();
        List<String> said = new CopyOnWriteArrayList<>();
        Logger log = Logger.getLogger("dev.weir.redis.internal.node.NodeLog");
        log.setLevel(Level.WARNING); // whatever others in this JVM made of the log
        log.setFilter(line -> said.add(line.getMessage()));
        RunningServer server;
        try {
            server = server(RULES, "warm_up", "100ms");
        } finally {
            log.setFilter(null);
            log.setLevel(null);
        }
        assertThat(said).singleElement().satisfies(line -> assertThat(line).contains("not connected"));
        assertThat(server.get("/healthcheck").statusCode()).isEqualTo(200);
        assertThat(server.get("/healthcheck").body()).contains("degraded");
        assertThat(check(server, "open", "a").statusCode()).isEqualTo(200);
        assertThat(check(server, "shut", "a").statusCode()).isEqualTo(503);
        redis.restart();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> check(server, "shut", "a").statusCode() == 200);
    }

    @Test
    void aStoreWhoseTlsFilesCannotBeUsedRefusesTheStart() {
        Path missing = folder.resolve("missing.pem");
        assertThatThrownBy(() -> server(RULES, "store", "rediss-cluster://h:1", "store_tls_ca", missing.toString()))
                .isInstanceOf(StartException.class)
                .hasMessage("store default: cannot set up TLS: " + missing
                        + " (expected: a PEM file): there is no such file");
    }

    @Test
    void aRedisThatIsNoClusterIsToldWhereOneWasMeant() throws Exception {
        RunningServer server = server(RULES, "store", "redis-cluster://" + redis.address());
        await().untilAsserted(() -> assertThat(server.get("/healthcheck").body())
                .startsWith("OK, degraded: store default: unavailable")
                .contains("cluster support disabled"));
    }

    @Test
    void aRedisThatRefusesUsIsToldAndNoPasswordWithIt() throws Exception {
        redis.password("right");
        try {
            Path secret = Files.writeString(folder.resolve("secret"), "wrong-as-can-be");
            RunningServer server = server(RULES, "store_password_file", secret.toString(), "deadline", "500ms");
            assertThat(check(server, "shut", "a").statusCode()).isEqualTo(503);
            // It starts without waiting for the first connection, and so for what Redis says to it.
            await().untilAsserted(() -> assertThat(server.get("/healthcheck").body())
                    .contains("refused")
                    .doesNotContain("wrong-as-can-be"));
            assertThat(server.get("/metrics").body()).doesNotContain("wrong-as-can-be");
            Files.writeString(secret, "right\n");
            await().atMost(Duration.ofSeconds(40))
                    .until(() -> check(server, "shut", "a").statusCode() == 200);
        } finally {
            redis.password("");
        }
    }

    @Test
    void aPermissionThatIsTakenAwayIsToldAfterOneRequestAndSoIsThatItIsBack() throws Exception {
        RunningServer server = server(RULES, "deadline", "500ms");
        String replies = "ratelimit_redis_error_replies_total{store=\"default\",code=\"NOPERM\"}";
        assertThat(check(server, "shut", "a").statusCode()).isEqualTo(200);
        assertThat(metric(server, replies)).isZero();
        redis.cli("ACL", "SETUSER", "default", "-evalsha");
        try {
            assertThat(check(server, "shut", "a").statusCode()).isEqualTo(503);
            await().untilAsserted(() -> assertThat(server.get("/healthcheck").body())
                    .contains("degraded: store default", "refused (NOPERM"));
            assertThat(server.get("/healthcheck").statusCode()).isEqualTo(200);
            assertThat(metric(server, replies)).isPositive();
        } finally {
            redis.cli("ACL", "SETUSER", "default", "+evalsha");
        }
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(server.get("/healthcheck").body()).isEqualTo("OK"));
        assertThat(check(server, "shut", "a").statusCode()).isEqualTo(200);
    }

    @Test
    void aRuleMayCountInARedisOfItsOwn() throws Exception {
        try (RedisProcess big = RedisProcess.start()) {
            Path config = Files.writeString(folder.resolve("weir.yaml"), "stores: { big: \"" + big.uri() + "\" }\n");
            RunningServer server = server(
                    RULES.replace("name: open,", "name: open, store: big,"),
                    "config",
                    config.toString(),
                    "deadline",
                    "500ms");
            assertThat(check(server, "open", "a").statusCode()).isEqualTo(200);
            assertThat(check(server, "shut", "a").statusCode()).isEqualTo(200);
            assertThat(big.keysWithoutNotes()).hasSize(1);
            assertThat(redis.keysWithoutNotes()).hasSize(1);
            assertThat(metric(server, "ratelimit_redis_asks_total{store=\"big\"}"))
                    .isEqualTo(1);
        }
    }

    @Test
    void rulesOnAStoreThatNobodyNamedDoNotLoadAndThoseOfBeforeStay() throws Exception {
        RunningServer server = server(RULES);
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, RULES.replace("name: open,", "name: open, store: big,"));
        await().untilAsserted(() ->
                assertThat(metric(server, "ratelimit_rules_current")).isZero());
        assertThat(check(server, "open", "a").statusCode()).isEqualTo(200);
    }

    @Test
    void theDecisionPathThroughRedisIsWarmBeforeTheServerIsReady() throws Exception {
        // A cold JVM takes half a second for the first; a machine that is busy with other tests takes none of them that
        // long.
        RunningServer server = server(RULES, "warm_up", "1s", "deadline", "100ms");
        long batches =
                Long.parseLong(redis.info("commandstats", "cmdstat_evalsha").replaceAll("calls=(\\d+),.*", "$1"));
        assertThat(batches).isGreaterThan(50);
        for (int i = 0; i < 100; i++) {
            assertThat(server.grpc("api", "kind", "shared")).isEqualTo(1);
        }
        assertThat(metric(server, "ratelimit_degraded_total{domain=\"api\",rule=\"shared\"}"))
                .isZero();
        await().untilAsserted(() -> assertThat(redis.keysWithoutNotes()).hasSize(1));
    }

    private RunningServer server(String rules, String... settings) throws Exception {
        Path file = folder.resolve("rules.yaml");
        Files.writeString(file, rules);
        List<String> all = new ArrayList<>(List.of("store", redis.uri()));
        all.addAll(List.of(settings));
        RunningServer server = RunningServer.with(file, all.toArray(String[]::new));
        servers.add(server);
        return server;
    }

    private static HttpResponse<String> check(RunningServer server, String kind, String id)
            throws IOException, InterruptedException {
        return server.http.check(new JsonObject().put("kind", kind).put("id", id));
    }

    private static String rls(String kind) {
        return "{\"domain\":\"api\",\"descriptors\":[{\"entries\":[{\"key\":\"kind\",\"value\":\"" + kind
                + "\"},{\"key\":\"id\",\"value\":\"z\"}]}]}";
    }

    private static double metric(RunningServer server, String series) throws IOException, InterruptedException {
        return server.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no series " + series));
    }
}
