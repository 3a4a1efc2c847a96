package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.control.testkit.Postgres;
import dev.weir.redis.testkit.FaultProxy;
import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonObject;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that share a PostgreSQL. */
class ControlFleetTest {
    private static final Duration BUDGET = Duration.ofSeconds(2);
    private static final int CHANGES = 50;

    @TempDir
    Path folder;

    private Path rules;

    @BeforeEach
    void rules() throws Exception {
        rules = Files.writeString(folder.resolve("api.yaml"), "{domain: api, rules: []}");
    }

    /** The body of the source document, of which only the numbers change. */
    @Test
    void aChangeOnOneIsEnforcedByTheOther() throws Exception {
        String db = Postgres.database();
        try (RedisProcess redis = RedisProcess.start();
                RunningServer here = RunningServer.with(rules, "db", db, "store", redis.uri());
                RunningServer there = RunningServer.with(rules, "db", db, "store", redis.uri())) {
            long worst = 0;
            for (int i = 1; i <= CHANGES; i++) {
                int limit = i + 100;
                long start = System.nanoTime();
                HttpResponse<String> answer = here.admin.put(
                        "/v1/ratelimit/config/r_abc",
                        "{\"key_pattern\":\"user:{user_id}\",\"algorithm\":\"token_bucket\",\"rate\":100,\"burst\":"
                                + limit + ",\"window\":\"1m\"}");
                assertThat(new JsonObject(answer.body()))
                        .isEqualTo(new JsonObject().put("rule_id", "r_abc").put("status", "active"));
                await().atMost(BUDGET)
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> limitOf(there) == limit);
                worst = Math.max(worst, System.nanoTime() - start);
            }
            System.out.println(CHANGES + " changes on one server: the slowest was in force on the other "
                    + worst / 1_000_000 + " ms after it was sent");
            assertThat(worst).isLessThan(BUDGET.toNanos());
            int cost = CHANGES + 100;
            assertThat(check(there, cost).statusCode()).isEqualTo(200);
            assertThat(check(there, cost).statusCode()).isEqualTo(429);
            assertThat(check(here, cost).statusCode()).as("they count together").isEqualTo(429);
        }
    }

    @Test
    void aServerThatCannotLoadARuleSaysSoItself() throws Exception {
        String db = Postgres.database();
        try (RedisProcess redis = RedisProcess.start()) {
            Path config = Files.writeString(
                    folder.resolve("weir.yaml"), "stores:\n  big: { url: \"" + redis.uri() + "\" }\n");
            try (RunningServer has = RunningServer.with(rules, "db", db, "config", config.toString());
                    RunningServer lacks = RunningServer.with(rules, "db", db)) {
                assertThat(lacks.http.get("/metrics").body())
                        .contains("ratelimit_rules_source_current{source=\"database\"} 1.0");
                has.admin.put("/v1/ratelimit/config/far", "{\"rate\":1,\"window\":\"1m\",\"store\":\"big\"}");
                await().until(() -> lacks.http
                        .get("/metrics")
                        .body()
                        .contains("ratelimit_rules_source_current{source=\"database\"} 0.0"));
                assertThat(lacks.admin.get("/v1/ratelimit/sources").body()).contains("\"current\":false", "big");
                HttpResponse<String> answer =
                        lacks.admin.put("/v1/ratelimit/config/near", "{\"rate\":1,\"window\":\"1m\"}");
                assertThat(new JsonObject(answer.body()).getString("problem"))
                        .contains("not in force on this server", "big");
            }
        }
    }

    @Test
    void aDatabaseThatStopsIsNotNoticedByCallers(@TempDir Path pg) throws Exception {
        EmbeddedPostgres server = Postgres.server(pg, 0);
        String db = Postgres.url(server.getPort(), "postgres");
        String data = folder.resolve("data").toString();
        try (RunningServer running = RunningServer.with(rules, "db", db, "data", data)) {
            put(running, 42);
            server.close();
            assertThat(limitOf(running)).isEqualTo(42);
            HttpResponse<String> refused = running.admin.put("/v1/ratelimit/config/r_abc", body(43));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).doesNotContain("postgres:postgres");
            assertThat(running.http.get("/healthcheck").statusCode()).isEqualTo(200);
            await().untilAsserted(
                            () -> assertThat(running.http.get("/healthcheck").body())
                                    .startsWith("OK, degraded: database: unreachable"));
            assertThat(limitOf(running)).isEqualTo(42);
            assertThat(running.admin.get("/v1/ratelimit/config/r_abc").statusCode())
                    .isEqualTo(200);
        }
        try (RunningServer restarted = RunningServer.with(rules, "db", db, "data", data)) {
            assertThat(limitOf(restarted)).isEqualTo(42);
        }
    }

    @Test
    void operatorsWhoWaitForADatabaseHoldUpNeitherScrapesNorReports() throws Exception {
        Path reported = Files.writeString(folder.resolve("reported.yaml"), """
                domain: api
                rules:
                  - { name: told, key_by: user_id, consistency: reported, report_interval: 100ms, limit: { requests: 1000, window: 1h } }
                """);
        URI db = URI.create(Postgres.database());
        try (FaultProxy link = FaultProxy.before(db.getPort());
                RedisProcess redis = RedisProcess.start();
                RunningServer running = RunningServer.with(
                        reported, "db", Postgres.url(link.port(), db.getPath().substring(1)), "store", redis.uri())) {
            link.blackHole();
            List<CompletableFuture<HttpResponse<String>>> waiting = Stream.generate(() -> running.admin.sendAsync(
                            running.admin.request("/v1/ratelimit/config/r_abc").PUT(BodyPublishers.ofString(body(1)))))
                    .limit(16)
                    .toList();
            for (int i = 0; i < 3; i++) {
                String user = "u_" + i;
                assertThat(running.http
                                .check(new JsonObject().put("user_id", user))
                                .statusCode())
                        .isEqualTo(200);
                await().atMost(BUDGET)
                        .until(() -> String.valueOf(redis.cli("KEYS", "*")).contains(user));
                assertThat(running.get("/metrics").statusCode()).isEqualTo(200);
            }
            assertThat(waiting).as("nobody waits any more").anyMatch(each -> !each.isDone());
        }
    }

    private static void put(RunningServer server, int rate) throws Exception {
        assertThat(server.admin.put("/v1/ratelimit/config/r_abc", body(rate)).statusCode())
                .isEqualTo(200);
    }

    private static String body(int rate) {
        return "{\"key_pattern\":\"user:{user_id}\",\"algorithm\":\"sliding_window\",\"rate\":" + rate
                + ",\"window\":\"1m\"}";
    }

    private static HttpResponse<String> check(RunningServer server, int cost) throws Exception {
        return server.http.check(new JsonObject().put("user_id", "u_7").put("cost", cost));
    }

    private static int limitOf(RunningServer server) throws Exception {
        JsonObject answer = new JsonObject(server.http
                .check(new JsonObject().put("user_id", "u_42").put("cost", 0))
                .body());
        return answer.getInteger("limit", -1);
    }
}
