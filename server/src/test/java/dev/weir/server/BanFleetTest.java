package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.control.testkit.Postgres;
import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonObject;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers on one PostgreSQL and one Redis: a ban on one is in force on all, with either of the two and without. */
class BanFleetTest {
    private static final Duration BUDGET = Duration.ofSeconds(2);
    private static final Duration BACK = Duration.ofSeconds(30);
    private static final String BANS = "/admin/v1/bans";

    @TempDir
    private static Path pg;

    @TempDir
    Path folder;

    private EmbeddedPostgres postgres;
    private RedisProcess redis;
    private final StallMeter stalls = new StallMeter();
    private final List<RunningServer> servers = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        Path rules = Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules:
                  - { name: orders, key_by: user_id, limit: { requests: 100, window: 1h } }
                """);
        postgres = Postgres.server(pg, 0);
        String database = Postgres.database(postgres);
        redis = RedisProcess.start();
        for (String name : List.of("a", "b", "c")) {
            servers.add(RunningServer.with(
                    Map.of("WEIR_FLEET_SECRET", "0123456789abcdef0123456789abcdef"),
                    rules,
                    "db",
                    Postgres.url(postgres.getPort(), database),
                    "store",
                    redis.uri(),
                    "data",
                    folder.resolve(name).toString()));
        }
    }

    @AfterEach
    void stop() throws Exception {
        stalls.close();
        servers.forEach(RunningServer::close);
        redis.close();
        postgres.close();
    }

    @Test
    void aBanIsInForceOnEveryServer() throws Exception {
        assertThat(spread("with-both", servers)).isLessThan(BUDGET);
        redis.kill();
        assertThat(spread("without-redis", servers)).isLessThan(BUDGET);
    }

    @Test
    void withoutTheDatabaseItGoesThroughRedisAndIsAuditedLater() throws Exception {
        postgres.close();
        // Every server notices that the database is away before the clock runs.
        for (RunningServer each : servers) {
            Awaitility.await()
                    .atMost(BACK)
                    .until(() -> each.http.get("/metrics").body().contains("ratelimit_database_connected 0.0"));
        }
        assertThat(spread("without-database", servers)).isLessThan(BUDGET);
        postgres = Postgres.server(pg, postgres.getPort());
        RunningServer there = servers.get(2);
        Awaitility.await()
                .atMost(BACK)
                .until(() -> there.admin.get("/admin/v1/audit").body().contains("without-database"));
        assertThat(new JsonObject(there.admin.get("/admin/v1/audit/verify").body()).getBoolean("whole"))
                .isTrue();
    }

    @Test
    void withoutBothTheServerThatTookItEnforcesItAtOnceAndKeepsItInItsFile() throws Exception {
        postgres.close();
        redis.kill();
        RunningServer here = servers.get(0);
        JsonObject made = new JsonObject(
                here.admin.post(BANS, body("alone"), "X-Weir-Author", "ada").body());
        assertThat(made.getString("caveat")).contains("this server only");
        assertThat(check(here, "alone")).isEqualTo(403);
        assertThat(Files.readString(folder.resolve("a/bans.jsonl")))
                .startsWith("!{")
                .contains("alone", "ada");
        assertThat(check(servers.get(1), "alone")).isEqualTo(200);
        postgres = Postgres.server(pg, postgres.getPort());
        Awaitility.await().atMost(BACK).until(() -> check(servers.get(1), "alone") == 403);
        assertThat(servers.get(1).admin.get("/admin/v1/audit").body()).contains("alone");
    }

    /** Bans {@code user} on the first server; how long this process ran until all denied it. */
    private Duration spread(String user, List<RunningServer> servers) throws Exception {
        HttpResponse<String> made = servers.get(0).admin.post(BANS, body(user));
        stalls.reset();
        long since = System.nanoTime();
        assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
        assertThat(check(servers.get(0), user)).isEqualTo(403);
        for (RunningServer each : servers) {
            Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(BACK).until(() -> check(each, user) == 403);
        }
        Duration took = stalls.runSince(since);
        System.out.println(
                "a ban " + user + " was in force on " + servers.size() + " servers after " + took.toMillis() + " ms");
        return took;
    }

    private static String body(String user) {
        return "{\"attribute\":\"user_id\",\"value\":\"" + user + "\",\"for\":\"1h\"}";
    }

    private static int check(RunningServer server, String user) throws Exception {
        return server.http
                .post("/v1/ratelimit/check", "{\"domain\":\"api\",\"user_id\":\"" + user + "\"}")
                .statusCode();
    }
}
