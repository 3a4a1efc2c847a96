package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bans on the admin port, on a server that keeps them in its folder, and what callers see of them. */
class BanServerTest {
    private static final String BANS = "/admin/v1/bans";

    @TempDir
    Path folder;

    private Path rules;
    private RunningServer running;

    @BeforeEach
    void start() throws Exception {
        rules = Files.writeString(folder.resolve("api.yaml"), """
            domain: api
            rules:
              - { name: orders, key_by: user_id, limit: { requests: 5, window: 1h, algorithm: fixed_window } }
            """);
        open();
    }

    private void open() throws Exception {
        running = RunningServer.with(rules, "data", folder.resolve("data").toString());
    }

    @AfterEach
    void stop() {
        running.close();
    }

    @Test
    void aBannedCallerIsDeniedWith403AndToldWhyAndUntilWhen() throws Exception {
        JsonObject made = json(running.admin.post(
                BANS,
                "{\"attribute\":\"ip\",\"value\":\"192.0.2.0/24\",\"for\":\"1h\",\"reason\":\"credential stuffing\"}",
                "X-Weir-Author",
                "ada"));
        assertThat(made.getString("kind")).isEqualTo("ban");
        assertThat(made.getString("updated_by")).contains("ada");
        HttpResponse<String> denied = check("u", "192.0.2.7");
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.headers().firstValue("Retry-After")).isEmpty();
        assertThat(denied.headers().firstValue("RateLimit")).isEmpty();
        JsonObject problem = json(denied);
        assertThat(problem.getString("type")).isEqualTo("tag:weir.dev,2026:banned");
        assertThat(problem.getString("expires_at")).isEqualTo(made.getString("expires_at"));
        assertThat(problem.getString("detail"))
                .isEqualTo("banned until " + made.getString("expires_at") + ": credential stuffing");
        assertThat(denied.body()).doesNotContain("ada");
        assertThat(check("u", "192.0.3.7").statusCode()).isEqualTo(200);
        assertThat(running.grpc("api", "remote_address", "192.0.2.9")).isEqualTo(2);
        assertThat(running.grpc("api", "remote_address", "192.0.3.9")).isEqualTo(1);
        assertThat(running.http.get("/metrics").body())
                .contains("ratelimit_banned_total{kind=\"ban\"} 2", "ratelimit_bans{by=\"operator\",kind=\"ban\"} 1.0");
        JsonObject explained = json(running.admin.post(
                "/admin/v1/explain",
                "{\"domain\":\"api\",\"hits\":1,\"descriptors\":"
                        + "[{\"entries\":[{\"key\":\"ip\",\"value\":\"192.0.2.7\"}]}]}"));
        assertThat(explained.getBoolean("would_pass")).isFalse();
        assertThat(explained.getJsonObject("ban").getString("sentence"))
                .contains("ip=192.0.2.0/24 is banned until ", "credential stuffing");
        assertThat(running.admin.get("/admin/v1/audit").body()).contains("\"kind\":\"ban\"", "192.0.2.0/24");
    }

    @Test
    void aBanOutlivesARestartAndItsRemovalToo() throws Exception {
        running.admin.post(BANS, "{\"attribute\":\"user_id\",\"value\":\"mallory\"}");
        running.close();
        open();
        assertThat(check("mallory", "192.0.2.1").statusCode()).isEqualTo(403);
        assertThat(json(running.admin.get(BANS)).getJsonArray("bans")).hasSize(1);
        assertThat(running.admin("DELETE", BANS + "?attribute=user_id&value=mallory")
                        .statusCode())
                .isEqualTo(200);
        assertThat(check("mallory", "192.0.2.1").statusCode()).isEqualTo(200);
        running.close();
        open();
        assertThat(check("mallory", "192.0.2.1").statusCode()).isEqualTo(200);
        assertThat(running.admin("DELETE", BANS + "?attribute=user_id&value=mallory")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void aShadowBannedCallerSeesWhatAnyCallerSees() throws Exception {
        HttpResponse<String> usual = check("somebody", "192.0.2.1");
        running.admin.post(BANS, "{\"attribute\":\"user_id\",\"value\":\"mallory\",\"kind\":\"shadow\"}");
        HttpResponse<String> seen = check("mallory", "192.0.2.1");
        assertThat(seen.statusCode()).isEqualTo(200);
        assertThat(seen.headers().map().keySet())
                .isEqualTo(usual.headers().map().keySet());
        assertThat(json(seen).fieldNames()).isEqualTo(json(usual).fieldNames());
        assertThat(json(seen).getLong("remaining")).isEqualTo(json(usual).getLong("remaining"));
        String told = running.http
                .post(
                        "/json",
                        "{\"domain\":\"api\",\"descriptors\":[{\"entries\":[{\"key\":\"user_id\","
                                + "\"value\":\"mallory\"}]}]}")
                .body();
        JsonObject answer = new JsonObject(told);
        assertThat(answer.getJsonArray("requestHeadersToAdd").encode())
                .isEqualTo("[{\"key\":\"x-weir-shadow-ban\",\"value\":\"true\"}]");
        assertThat(answer.getJsonObject("dynamicMetadata").encode()).isEqualTo("{\"weir\":{\"shadow_ban\":true}}");
        assertThat(answer.containsKey("responseHeadersToAdd")).isFalse();
        assertThat(answer.getString("overallCode")).isEqualTo("OK");
    }

    @Test
    void anExemptCallerIsNotBannedAndStillLimited() throws Exception {
        running.admin.post(BANS, "{\"attribute\":\"ip\",\"value\":\"192.0.2.0/24\"}");
        running.admin.post(BANS, "{\"attribute\":\"user_id\",\"value\":\"ada\",\"kind\":\"allow\"}");
        for (int i = 0; i < 5; i++) {
            assertThat(check("ada", "192.0.2.7").statusCode()).isEqualTo(200);
        }
        assertThat(check("ada", "192.0.2.7").statusCode()).isEqualTo(429);
        assertThat(check("bob", "192.0.2.7").statusCode()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"attribute\":\"ip\"}",
                "{\"attribute\":\"ip\",\"value\":\"10.0.0.0/33\"}",
                "{\"attribute\":\"ip\",\"value\":\"nowhere\"}",
                "{\"attribute\":\"a=b\",\"value\":\"x\"}",
                "{\"attribute\":\"user_id\",\"value\":\"\"}",
                "{\"attribute\":\"user_id\",\"value\":\"x\",\"kind\":\"band\"}",
                "{\"attribute\":\"user_id\",\"value\":\"x\",\"for\":\"-1s\"}",
                "{\"attribute\":\"user_id\",\"value\":\"x\",\"for\":\"1h\",\"expires_at\":\"2999-01-01T00:00:00Z\"}",
                "{\"attribute\":\"user_id\",\"value\":\"x\",\"expires_at\":\"2001-01-01T00:00:00Z\"}",
                "{\"attribute\":\"user_id\",\"value\":\"x\",\"reson\":\"typo\"}"
            })
    void aBanThatSaysNothingClearIsRefusedAndChangesNothing(String body) throws Exception {
        HttpResponse<String> refused = running.admin.post(BANS, body);
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(json(running.admin.get(BANS)).getJsonArray("bans")).isEmpty();
    }

    @Test
    void aBanInADomainThatIsNotLoadedIsMadeAndSaysSo() throws Exception {
        String body = "{\"attribute\":\"user_id\",\"value\":\"mallory\",\"domain\":\"%s\"}";
        JsonObject misspelt = json(running.admin.post(BANS, body.formatted("appi")));
        assertThat(misspelt.getString("caveat")).contains("no such domain: \"appi\" (did you mean \"api\"?)");
        assertThat(json(running.admin.post(BANS, body.formatted("api"))).getString("caveat"))
                .doesNotContain("domain");
    }

    @Test
    void aBanByAMisspeltAttributeIsMadeAndSaysSo() throws Exception {
        String body = "{\"attribute\":\"%s\",\"value\":\"mallory\"}";
        JsonObject misspelt = json(running.admin.post(BANS, body.formatted("usr_id")));
        assertThat(misspelt.getString("caveat")).contains("no rule uses \"usr_id\" (did you mean \"user_id\"?)");
        for (String attribute : List.of("user_id", "client_id", "organisation")) {
            assertThat(json(running.admin.post(BANS, body.formatted(attribute))).getString("caveat"))
                    .doesNotContain("no rule uses");
        }
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        assertThat(running.admin
                        .post(BANS + "?dry_run=true", "{\"attribute\":\"user_id\",\"value\":\"x\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(check("x", "192.0.2.7").statusCode()).isEqualTo(200);
    }

    @Test
    void aValueOfAnotherSizeOrWithALineBreakIsRefused() throws Exception {
        for (String each : new String[] {"x".repeat(257), "a\\nb"}) {
            assertThat(running.admin
                            .post(BANS, "{\"attribute\":\"user_id\",\"value\":\"" + each + "\"}")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    private HttpResponse<String> check(String user, String ip) throws Exception {
        return running.http.post(
                "/v1/ratelimit/check", "{\"domain\":\"api\",\"user_id\":\"" + user + "\",\"ip\":\"" + ip + "\"}");
    }

    private static JsonObject json(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 403);
        return new JsonObject(answer.body());
    }
}
