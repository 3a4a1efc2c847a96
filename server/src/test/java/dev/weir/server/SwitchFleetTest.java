package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.testkit.Postgres;
import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one PostgreSQL and one Redis: a switch on one is in force on the other, with the database and without it. */
class SwitchFleetTest {
    private static final Duration BUDGET = Duration.ofSeconds(2);
    private static final Duration BACK = Duration.ofSeconds(30);
    private static final int SWITCHES = 20;
    private static final String ORDERS = "/admin/v1/switches/orders";
    private static final String ALL = "/admin/v1/switches/all";

    /** One for all tests, each of which has a database in it: making one takes seconds. */
    @TempDir
    private static Path pg;

    @TempDir
    Path folder;

    private final StallMeter stalls = new StallMeter();
    private String database = "";
    private EmbeddedPostgres postgres;
    private RedisProcess redis;
    private RunningServer here;
    private RunningServer there;

    @BeforeEach
    void start() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules:
                  - { name: orders, key_by: user_id, limit: { requests: 0, window: 1h } }
                """);
        postgres = Postgres.server(pg, 0);
        database = Postgres.database(postgres);
        redis = RedisProcess.start();
        here = server(rules, "a");
        there = server(rules, "b");
    }

    private RunningServer server(Path rules, String data) throws Exception {
        String db = Postgres.url(postgres.getPort(), database);
        return RunningServer.with(
                Map.of("WEIR_FLEET_SECRET", "0123456789abcdef0123456789abcdef"),
                rules,
                "db",
                db,
                "store",
                redis.uri(),
                "data",
                folder.resolve(data).toString());
    }

    @AfterEach
    void stop() throws Exception {
        stalls.close();
        here.close();
        there.close();
        redis.close();
        postgres.close();
    }

    @Test
    void aSwitchOnOneIsInForceOnTheOther() throws Exception {
        long worst = 0;
        for (int i = 0; i < SWITCHES; i++) {
            worst = Math.max(worst, spread(ORDERS, i % 2 == 0 ? "off" : "on", "database", i % 2 == 0 ? 200 : 429));
        }
        System.out.println(
                SWITCHES + " switches, with the database: the slowest was in force on the other server after "
                        + worst / 1_000_000 + " ms");
        assertThat(worst).isLessThan(BUDGET.toNanos());
    }

    @Test
    void withoutTheDatabaseItGoesThroughRedisAndIsInTheDatabaseLater() throws Exception {
        spread(ORDERS, "off", "database", 200);
        postgres.close();
        long worst = 0;
        for (int i = 0; i < 4; i++) {
            worst = Math.max(worst, spread(ALL, i % 2 == 0 ? "on" : "shadow", "redis", 200));
        }
        System.out.println("without the database: the slowest was in force on the other server after "
                + worst / 1_000_000 + " ms");
        worst = spread(ORDERS, "on", "redis", 200);
        assertThat(worst).isLessThan(BUDGET.toNanos());
        HttpResponse<String> refused = here.admin.put("/v1/ratelimit/config/r", "{\"rate\":1,\"window\":\"1s\"}");
        assertThat(refused.statusCode()).as("rules wait for the database").isEqualTo(503);
        assertThat(here.http.get("/metrics").body()).contains("ratelimit_switches_unreconciled 5.0");
        postgres = Postgres.server(pg, postgres.getPort());
        Awaitility.await()
                .atMost(BACK)
                .until(() -> here.http.get("/metrics").body().contains("ratelimit_switches_unreconciled 0.0"));
        JsonArray audit = new JsonObject(here.admin.get("/admin/v1/audit").body()).getJsonArray("changes");
        assertThat(audit).hasSize(6);
        assertThat(audit.getJsonObject(5).getString("who")).isEqualTo("ada (claimed)");
        assertThat(audit.getJsonObject(5).getJsonObject("after").getString("via"))
                .isEqualTo("redis");
        assertThat(new JsonObject(there.admin.get("/admin/v1/audit/verify").body()).getBoolean("whole"))
                .isTrue();
    }

    @Test
    void withoutDatabaseAndRedisOneServerTakesItOnItsOwnAndTheOtherFollowsLater() throws Exception {
        postgres.close();
        redis.kill();
        HttpResponse<String> refused = here.admin.put(ALL, "{\"state\":\"off\"}");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("weir switch --local");
        HttpResponse<String> taken = here.admin.put(ALL + "?local=true", "{\"state\":\"off\"}", "X-Weir-Author", "ada");
        assertThat(new JsonObject(taken.body()).getString("via")).isEqualTo("local");
        assertThat(new JsonObject(check(here).body()).getJsonObject("switched"))
                .isEqualTo(new JsonObject().put("all", "off"));
        assertThat(there.admin.get(ALL).statusCode()).isEqualTo(404);
        assertThat(Files.readString(folder.resolve("a/switches.jsonl")))
                .contains("\"who\":\"ada (claimed)\"", "\"hash\":");
        postgres = Postgres.server(pg, postgres.getPort());
        Awaitility.await().atMost(BACK).until(() -> there.admin.get(ALL).statusCode() == 200);
        assertThat(there.admin.get("/admin/v1/audit").body())
                .contains("\"who\":\"ada (claimed)\"", "\"via\":\"local\"");
    }

    @Test
    void aDatabaseThatHangsUnderASwitchHoldsUpNeitherADecisionNorTheSwitch() throws Exception {
        assertThat(check(there).statusCode()).isEqualTo(429);
        try (Connection connection = postgres.getDatabase("postgres", database).getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT version FROM weir_version FOR UPDATE");
            CompletableFuture<String> put = CompletableFuture.supplyAsync(() -> {
                try {
                    return here.admin.put(ORDERS, "{\"state\":\"off\"}").body();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            int decided = 0;
            long slowest = 0;
            while (!put.isDone()) {
                stalls.reset();
                long start = System.nanoTime();
                assertThat(check(here).statusCode()).isIn(429, 200);
                slowest = Math.max(slowest, stalls.runSince(start).toNanos());
                decided++;
            }
            assertThat(decided).isGreaterThan(10);
            assertThat(slowest).isLessThan(Duration.ofSeconds(3).toNanos());
            assertThat(new JsonObject(put.join()).getString("via")).isEqualTo("redis");
            Awaitility.await().until(() -> check(there).statusCode() == 200);
            connection.rollback();
        }
    }

    /** Switches here, and waits until the other server has it; how long this process ran from before it was sent. */
    private long spread(String path, String state, String via, int status) throws Exception {
        stalls.reset();
        long start = System.nanoTime();
        HttpResponse<String> put = here.admin.put(path, "{\"state\":\"" + state + "\"}", "X-Weir-Author", "ada");
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(new JsonObject(put.body()).getString("via")).isEqualTo(via);
        Awaitility.await()
                .atMost(BACK)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> there.admin.get(path).body().contains("\"state\":\"" + state + "\"")
                        && check(there).statusCode() == status);
        return stalls.runSince(start).toNanos();
    }

    private static HttpResponse<String> check(RunningServer server) throws Exception {
        return server.http.check(new JsonObject().put("user_id", "u_42"));
    }
}
