package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data behind the dashboard, over the admin port of a running server. */
class InsightServerTest {
    private static final String ODD = "<b>\u202e\ud83d\ude00\"";

    @TempDir
    static Path folder;

    private static RunningServer running;

    @BeforeAll
    static void start() throws Exception {
        Path rules = Files.createDirectory(folder.resolve("rules"));
        Files.writeString(rules.resolve("api.yaml"), """
                domain: api
                rules:
                  - name: users
                    key_by: user_id
                    limit: { requests: 3, window: 1h, algorithm: fixed_window }
                  - name: watched
                    key_by: user_id
                    shadow: true
                    limit: { requests: 2, window: 1h, algorithm: fixed_window }
                """);
        running = RunningServer.with(rules, "data", folder.resolve("data").toString());
        for (int i = 0; i < 8; i++) {
            check("loud");
        }
        check("calm");
        check(ODD);
        await().until(() ->
                get("/admin/v1/top?window=hour").getJsonArray("keys").size() == 1
                        && get("/admin/v1/history?domain=api&rule=users")
                                .getJsonObject("series")
                                .getJsonArray("points")
                                .stream()
                                .anyMatch(each -> each instanceof JsonArray point && point.getInteger(1) > 0));
    }

    /** Lists of the last minute must not be empty, however long the tests before took. */
    @BeforeEach
    void beLoud() throws Exception {
        check("loud");
        await().until(() -> {
            JsonObject now = get("/admin/v1/now");
            return !now.getJsonArray("top_denied").isEmpty()
                    && !now.getJsonArray("rules").isEmpty()
                    && first(now, "rules").getLong("denied") > 0;
        });
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    private static void check(String user) throws Exception {
        running.post(
                "/v1/ratelimit/check",
                new JsonObject().put("domain", "api").put("user_id", user).encode());
    }

    private static JsonObject get(String path) throws Exception {
        HttpResponse<String> answer = running.admin("GET", path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new JsonObject(answer.body());
    }

    private static JsonObject first(JsonObject from, String list) {
        return from.getJsonArray(list).getJsonObject(0);
    }

    @Test
    void nowTellsStateFiguresAndWhoIsDenied() throws Exception {
        JsonObject now = get("/admin/v1/now");
        assertThat(now.getJsonObject("state").getString("level")).isEqualTo("ok");
        assertThat(now.getJsonObject("state").getString("sentence")).startsWith("All well: 2 rules");
        assertThat(now.getJsonObject("figures").fieldNames())
                .containsExactlyInAnyOrder("decisions", "denied", "p99", "degraded", "shed");
        assertThat(first(now, "top_denied").getString("key")).isEqualTo("user_id=loud");
        assertThat(first(now, "rules").getString("rule")).isEqualTo("users");
        assertThat(now.getJsonObject("series").getJsonArray("points").size()).isEqualTo(900);
        long at = now.getLong("at");
        assertThat(get("/admin/v1/now?since=" + at)
                        .getJsonObject("series")
                        .getJsonArray("points")
                        .size())
                .isLessThan(30);
    }

    @Test
    void topTellsCountsAndSinceWhen() throws Exception {
        JsonObject loud = first(get("/admin/v1/top?by=denied&window=hour&domain=api&rule=users"), "keys");
        assertThat(loud.getLong("count")).isGreaterThanOrEqualTo(5);
        assertThat(loud.getDouble("share")).isEqualTo(1);
        assertThat(loud.getLong("denied_since")).isPositive();
        assertThat(loud.getJsonObject("attributes")).isEqualTo(new JsonObject().put("user_id", "loud"));
        check("calm-" + System.nanoTime());
        await().until(() -> !get("/admin/v1/top?by=nearest&domain=api&rule=users")
                .getJsonArray("keys")
                .isEmpty());
        JsonObject nearest = get("/admin/v1/top?by=nearest&domain=api&rule=users");
        assertThat(first(nearest, "keys").getDouble("utilisation")).isBetween(0.3, 1.0);
        HttpResponse<String> refused = running.admin("GET", "/admin/v1/top?by=nearest&window=hour");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("expected: minute with by=nearest");
        assertThat(running.admin("GET", "/admin/v1/top?by=loudest").body())
                .contains("expected: denied, allowed, nearest");
        assertThat(running.admin("GET", "/admin/v1/top?rule=users").statusCode())
                .isEqualTo(400);
    }

    @Test
    void liveTellsEachRuleWithWhatShadowWouldHaveDenied() throws Exception {
        JsonArray rules = get("/admin/v1/live?sort=denied_share").getJsonArray("rules");
        assertThat(rules).hasSize(2);
        JsonObject users = rules.getJsonObject(0);
        assertThat(users.getString("limit")).isEqualTo("3 per 1h");
        assertThat(users.getLong("denied")).isPositive();
        assertThat(users.getDouble("utilisation")).isGreaterThan(1);
        JsonObject watched = rules.getJsonObject(1);
        assertThat(watched.getBoolean("shadow")).isTrue();
        await().until(() -> first(get("/admin/v1/live?q=watched"), "rules")
                        .getJsonObject("hour")
                        .getLong("shadow_denied")
                > 0);
        JsonObject page = get("/admin/v1/live?limit=1");
        assertThat(page.getInteger("total")).isEqualTo(2);
        assertThat(first(get("/admin/v1/live?limit=1&after=" + page.getString("next")), "rules")
                        .getString("rule"))
                .isEqualTo("watched");
    }

    @Test
    void countersThatCannotBeReadAreNotCountersThatHaveRoom() throws Exception {
        assertThat(get("/admin/v1/caller?user_id=loud").getBoolean("unread")).isFalse();
        try (RunningServer blind =
                RunningServer.with(folder.resolve("rules"), "store", "redis://127.0.0.1:1", "warm_up", "0s")) {
            JsonObject caller = new JsonObject(
                    blind.admin("GET", "/admin/v1/caller?user_id=loud").body());
            assertThat(caller.getJsonArray("counters")).isEmpty();
            assertThat(caller.getBoolean("unread")).isTrue();
            assertThat(caller.getJsonArray("dropped").toString()).contains("could not be read");
        }
    }

    @Test
    void aCallerSeesItsCountersAndItsDenialsExplained() throws Exception {
        JsonObject caller = get("/admin/v1/caller?user_id=loud");
        JsonObject counter = first(caller, "counters");
        assertThat(counter.getString("rule")).isEqualTo("users");
        assertThat(counter.getLong("remaining")).isZero();
        assertThat(counter.getDouble("share")).isEqualTo(1);
        assertThat(counter.getLong("denied_since")).isPositive();
        JsonObject denial = first(caller, "denials");
        assertThat(denial.getString("sentence")).contains("by users (3 per 1h, fixed_window) for user_id=loud");
        assertThat(get("/admin/v1/caller?user_id=calm").getJsonArray("denials")).isEmpty();
        assertThat(running.admin("GET", "/admin/v1/caller").statusCode()).isEqualTo(400);
        assertThat(running.admin("GET", "/admin/v1/caller?domain=none&a=b").statusCode())
                .isEqualTo(404);
    }

    @Test
    void historyOfAnIdleOrUnknownRule() throws Exception {
        assertThat(running.admin("GET", "/admin/v1/history?domain=api&rule=none")
                        .statusCode())
                .isEqualTo(404);
        assertThat(get("/admin/v1/history?range=14d").getJsonObject("series").getInteger("step"))
                .isEqualTo(60);
        assertThat(get("/admin/v1/history?range=6h").getJsonObject("series").getInteger("step"))
                .isEqualTo(10);
    }

    @Test
    void loadTellsShedderQueuesAndNodes() throws Exception {
        JsonObject load = get("/admin/v1/load");
        assertThat(first(load, "shedder").getString("port")).isEqualTo("http");
        assertThat(load.getJsonObject("queues").getInteger("waiting")).isZero();
        assertThat(first(load, "nodes").getBoolean("self")).isTrue();
        assertThat(first(get("/admin/v1/fleet"), "nodes").getJsonObject("load").getDouble("decisions_rate"))
                .isNotNull();
    }

    @Test
    void aFloodOfRandomKeysDomainsAndNamesCreatesNoTimeSeries() throws Exception {
        long before = series();
        for (int i = 0; i < 100; i++) {
            check("random-" + i);
            running.post("/v1/ratelimit/check", "{\"domain\":\"d" + i + "\",\"user_id\":\"u\"}");
            running.post("/v1/ratelimit/check", "{\"domain\":\"api\",\"rule" + i + "\":\"u\"}");
            running.admin("GET", "/admin/v1/history?domain=d" + i + "&rule=r" + i);
        }
        assertThat(series()).isEqualTo(before);
        assertThat(get("/admin/v1/live").getInteger("total")).isEqualTo(2);
        assertThat(first(get("/admin/v1/top?window=hour"), "keys").getString("key"))
                .isEqualTo("user_id=loud");
    }

    private static long series() throws Exception {
        return running.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("ratelimit_"))
                .count();
    }

    @Test
    void aViewerSeesHashesInsteadOfKeys() throws Exception {
        String admin = running.admin
                .send(running.admin
                        .request("/admin/v1/tokens")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"name\":\"a\",\"role\":\"admin\"}")))
                .body();
        String token = new JsonObject(admin).getString("token");
        // Once an admin token exists, a caller from this machine without a token is a viewer.
        String answer = running.admin("GET", "/admin/v1/now").body()
                + running.admin("GET", "/admin/v1/top?by=denied").body()
                + running.admin("GET", "/admin/v1/denials").body();
        assertThat(answer).doesNotContain("loud").contains("\"key\":\"#");
        HttpResponse<String> operator = running.admin.send(running.admin
                .request("/admin/v1/denials")
                .header("Authorization", "Bearer " + token)
                .GET());
        assertThat(operator.body()).contains("user_id=loud");
        running.admin.send(running.admin
                .request("/admin/v1/tokens/a")
                .header("Authorization", "Bearer " + token)
                .DELETE());
    }
}
