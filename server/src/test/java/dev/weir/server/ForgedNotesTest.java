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
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who can write to Redis, and has no other access, against servers with a database. */
class ForgedNotesTest {
    static final String NOTES = "weir:{AAAAAAAAAAA}/notes:switches";
    private static final Duration BACK = Duration.ofSeconds(30);
    private static final String ALL = "/admin/v1/switches/all";

    @TempDir
    private static Path pg;

    @TempDir
    Path folder;

    private String database = "";
    private EmbeddedPostgres postgres;
    private RedisProcess redis;
    private RunningServer server;

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
        server = RunningServer.with(rules, "db", Postgres.url(postgres.getPort(), database), "store", redis.uri());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        redis.close();
        postgres.close();
    }

    @Test
    void whileTheDatabaseIsThereAForgedSwitchDoesNothingAndNobodyIsAuditedForIt() throws Exception {
        long stamp = forge(redis);
        Awaitility.await()
                .during(Duration.ofMillis(4_500))
                .atMost(BACK)
                .until(() ->
                        check().statusCode() == 429 && server.admin.get(ALL).statusCode() == 404);
        Awaitility.await()
                .atMost(BACK)
                .until(() -> server.http
                        .get("/metrics")
                        .body()
                        .contains("ratelimit_notes_rejected_total{kind=\"switches\",reason=\"unverified\"} 1.0"));
        assertThat(server.admin.get("/admin/v1/audit").body()).doesNotContain("root", String.valueOf(stamp));
        HttpResponse<String> made = server.admin.put(ALL, "{\"state\":\"shadow\"}");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(200);
        assertThat(check().statusCode()).isEqualTo(200);
    }

    @Test
    void whileTheDatabaseIsUnreachableItHoldsAndIsAuditedAsUnverified() throws Exception {
        postgres.close();
        Awaitility.await()
                .atMost(BACK)
                .until(() -> server.http.get("/metrics").body().contains("ratelimit_database_connected 0.0"));
        forge(redis);
        Awaitility.await().atMost(BACK).until(() -> check().statusCode() == 200);
        assertThat(new JsonObject(server.admin.get(ALL).body()).getString("updated_by"))
                .isEqualTo("root (unverified)");
        postgres = Postgres.server(pg, postgres.getPort());
        Awaitility.await().atMost(BACK).until(() -> check().statusCode() == 429);
        JsonArray audit = new JsonObject(server.admin.get("/admin/v1/audit").body()).getJsonArray("changes");
        assertThat(audit).hasSize(1);
        assertThat(audit.getJsonObject(0).getString("who")).isEqualTo("root (unverified)");
        assertThat(server.admin.get(ALL).statusCode()).as("it does not hold").isEqualTo(404);
    }

    /** Writes an unsigned note that switches everything off, in the name of root. */
    static long forge(RedisProcess redis) {
        long stamp = System.currentTimeMillis();
        String text = "{\"domain\":\"\",\"rule\":\"all\",\"state\":\"off\",\"stamp\":" + stamp
                + ",\"via\":\"redis\",\"who\":\"root\",\"from\":\"10.0.0.1\",\"reason\":\"maintenance\"}";
        assertThat(redis.cli("HSET", NOTES, "all", stamp + " " + text)).isNotNull();
        redis.cli("HINCRBY", NOTES, "", "1");
        return stamp;
    }

    private HttpResponse<String> check() throws Exception {
        return server.http.check(new JsonObject().put("user_id", "u_42"));
    }
}
