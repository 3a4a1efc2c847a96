package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules that ban callers which they deny again and again. */
class EscalationServerTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    @Test
    void aCallerThatIsDeniedTooOftenIsBannedAndTriesDoNotExtendTheBan() throws Exception {
        try (RunningServer server =
                RunningServer.with(rules(""), "data", folder.resolve("data").toString())) {
            assertThat(check(server, "192.0.2.1")).isEqualTo(200);
            assertThat(check(server, "192.0.2.1")).isEqualTo(429);
            assertThat(check(server, "192.0.2.1")).isEqualTo(429);
            assertThat(bans(server)).isEmpty();
            assertThat(check(server, "192.0.2.1")).isEqualTo(429);
            await().atMost(LONG).until(() -> check(server, "192.0.2.1") == 403);
            JsonObject ban = bans(server).getJsonObject(0);
            assertThat(ban.getString("updated_by")).isEqualTo("rule login");
            assertThat(ban.getString("domain")).isEqualTo("api");
            assertThat(ban.getBoolean("automatic")).isTrue();
            assertThat(ban.getString("reason")).isEqualTo("denied too often by login (ban 1)");
            assertThat(Instant.parse(ban.getString("expires_at")))
                    .isBetween(Instant.now().plusSeconds(8 * 60), Instant.now().plusSeconds(10 * 60 + 1));
            for (int i = 0; i < 20; i++) {
                assertThat(check(server, "192.0.2.1")).isEqualTo(403);
            }
            assertThat(bans(server).getJsonObject(0)).isEqualTo(ban);
            assertThat(check(server, "192.0.2.2")).isEqualTo(200);
            server.admin.put("/admin/v1/switches/all", "{\"state\":\"off\"}");
            assertThat(check(server, "192.0.2.1")).as("suspended").isEqualTo(200);
            server.admin.put("/admin/v1/switches/all", "{\"state\":\"on\"}");
            assertThat(check(server, "192.0.2.1")).isEqualTo(403);
            server.admin("DELETE", "/admin/v1/bans?domain=api&attribute=ip&value=192.0.2.1");
            assertThat(check(server, "192.0.2.1")).isEqualTo(429);
        }
    }

    @Test
    void aRequestThatAQueueRefusesCountsAsDenied() throws Exception {
        String queue = ", over: { queue: { max_wait: 10ms, max_waiting: 1 } }";
        try (RunningServer server =
                RunningServer.with(rules(queue), "data", folder.resolve("data").toString())) {
            assertThat(check(server, "192.0.2.1")).isEqualTo(200);
            await().atMost(LONG).until(() -> check(server, "192.0.2.1") == 403);
            assertThat(server.http.get("/metrics").body()).contains("ratelimit_banned_total{kind=\"ban\"} 1");
        }
    }

    @Test
    void aRuleInShadowOnlyWatchesAndAnExemptCallerIsNotWatched() throws Exception {
        try (RunningServer server = RunningServer.with(
                rules(", shadow: true"), "data", folder.resolve("data").toString())) {
            server.admin.post("/admin/v1/bans", "{\"attribute\":\"ip\",\"value\":\"192.0.2.9\",\"kind\":\"allow\"}");
            for (int i = 0; i < 10; i++) {
                check(server, "192.0.2.9");
            }
            for (int i = 0; i < 10; i++) {
                assertThat(check(server, "192.0.2.1")).isEqualTo(200);
            }
            await().atMost(LONG).until(() -> bans(server).size() == 2);
            assertThat(bans(server).stream().map(each -> ((JsonObject) each).getString("kind")))
                    .containsExactlyInAnyOrder("allow", "watch");
            assertThat(check(server, "192.0.2.1")).isEqualTo(200);
            assertThat(server.http.get("/metrics").body()).contains("ratelimit_banned_total{kind=\"ban\"} 0");
        }
    }

    @Test
    void serversOnOneRedisCountDenialsTogetherAndFollowTheBan() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RunningServer here = RunningServer.with(rules(""), "store", redis.uri());
                RunningServer there = RunningServer.with(rules(""), "store", redis.uri())) {
            await().atMost(LONG).until(() -> check(here, "2001:db8::1") != 200);
            await().atMost(LONG).until(() -> {
                check(here, "2001:db8::2");
                return check(there, "2001:db8::3") == 403;
            });
            await().atMost(LONG).until(() -> check(here, "2001:db8::4") == 403);
            assertThat(check(there, "2001:db8:0:1::1")).isEqualTo(200);
        }
    }

    @Test
    void aClientIdIsBannedAsTheIdentityThatTheRuleCountsBy() throws Exception {
        try (RunningServer server = RunningServer.with(rules("user_id", ""))) {
            assertThat(client(server, "u_1").getBoolean("allowed")).isTrue();
            await().atMost(LONG).until(() -> {
                client(server, "u_1");
                return bans(server).size() == 1;
            });
            assertThat(bans(server).getJsonObject(0).getString("attribute")).isEqualTo("user_id");
            assertThat(bans(server).getJsonObject(0).getString("value")).isEqualTo("u_1");
            JsonObject banned = client(server, "u_1");
            assertThat(banned.getBoolean("allowed")).isFalse();
            assertThat(banned.containsKey("retry_after"))
                    .as("a ban, and not the limit")
                    .isFalse();
            assertThat(client(server, "u_2").getBoolean("allowed")).isTrue();
        }
    }

    @Test
    void withoutADatabaseABanOfARuleCanBeRemovedAndNoneCanBeMade() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RunningServer here = RunningServer.with(rules(""), "store", redis.uri());
                RunningServer there = RunningServer.with(rules(""), "store", redis.uri())) {
            await().atMost(LONG).until(() -> check(here, "192.0.2.1") == 403);
            await().atMost(LONG).until(() -> check(there, "192.0.2.1") == 403);
            assertThat(here.admin
                            .post("/admin/v1/bans", "{\"attribute\":\"ip\",\"value\":\"192.0.2.9\"}")
                            .body())
                    .contains("no database to keep a ban in", "--data", "--db");
            assertThat(here.admin("DELETE", "/admin/v1/bans?domain=api&attribute=ip&value=192.0.2.1")
                            .body())
                    .doesNotContain("caveat");
            assertThat(check(here, "192.0.2.1")).isEqualTo(429);
            await().atMost(LONG).until(() -> check(there, "192.0.2.1") == 429);
            assertThat(here.http.get("/metrics").body()).contains("ratelimit_bans_unreconciled 0");
            assertThat(here.admin("DELETE", "/admin/v1/bans?domain=api&attribute=ip&value=192.0.2.1")
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    private Path rules(String more) throws Exception {
        return rules("ip", more);
    }

    private Path rules(String keyBy, String more) throws Exception {
        return Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                rules:
                  - { name: login, key_by: %s, limit: { requests: 1, window: 1h, algorithm: fixed_window },
                      escalate: { after: 3, within: 10m, ban: 10m }%s }
                """.formatted(keyBy, more));
    }

    private static JsonArray bans(RunningServer server) throws Exception {
        return new JsonObject(server.admin.get("/admin/v1/bans").body()).getJsonArray("bans");
    }

    private static JsonObject client(RunningServer server, String id) throws Exception {
        return new JsonObject(server.http
                .post("/ratelimit/check", "{\"client_id\":\"" + id + "\",\"endpoint\":\"/x\",\"method\":\"GET\"}")
                .body());
    }

    private static int check(RunningServer server, String ip) throws Exception {
        return server.http
                .post("/v1/ratelimit/check", "{\"domain\":\"api\",\"ip\":\"" + ip + "\"}")
                .statusCode();
    }
}
