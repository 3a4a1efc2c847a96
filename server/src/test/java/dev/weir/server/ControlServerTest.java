package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.lifecycle.StartException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes by operators on the admin port, on a server that keeps them in its folder. */
class ControlServerTest {
    private static final String SEED =
            "{\"key_pattern\":\"user:{user_id}\",\"algorithm\":\"token_bucket\",\"rate\":100,\"burst\":150,\"window\":\"1m\"}";
    private static final String CONFIG = "/v1/ratelimit/config/";
    private static final String QUOTAS = "/admin/v1/quotas/";

    @TempDir
    static Path folder;

    private static RunningServer running;

    @BeforeAll
    static void start() throws Exception {
        running = RunningServer.with(rules(), "data", folder.resolve("data").toString());
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    private static Path rules() throws Exception {
        return Files.writeString(folder.resolve("api.yaml"), """
                domain: api
                key_by: api_key
                tiers:
                  free: { requests: 10, window: 1m, algorithm: fixed_window }
                  enterprise: { requests: 5000, window: 1m, algorithm: fixed_window }
                rules:
                  - name: reads
                    match: { endpoint: "GET /reads" }
                    limit: { requests: 3, window: 1h }
                """);
    }

    @Test
    void theRuleOfTheSourceDocumentIsInForceWhenItsAnswerComes() throws Exception {
        HttpResponse<String> put = running.admin.put(CONFIG + "r_abc", SEED);
        assertThat(put.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(put.body()))
                .isEqualTo(new JsonObject().put("rule_id", "r_abc").put("status", "active"));
        JsonObject check = new JsonObject(
                running.http.check(new JsonObject().put("user_id", "u_42")).body());
        assertThat(check.getString("rule")).isEqualTo("r_abc");
        assertThat(check.getInteger("limit")).isEqualTo(150);
        HttpResponse<String> get = running.admin.get(CONFIG + "r_abc");
        assertThat(get.headers().firstValue("ETag")).isEqualTo(put.headers().firstValue("ETag"));
        assertThat(new JsonObject(get.body()))
                .contains(entry("domain", "api"), entry("rate", 100), entry("source", "database"));
        assertThat(running.admin.delete(CONFIG + "r_abc").statusCode()).isEqualTo(204);
        assertThat(running.admin.get(CONFIG + "r_abc").statusCode()).isEqualTo(404);
    }

    private static java.util.Map.Entry<String, Object> entry(String name, Object value) {
        return java.util.Map.entry(name, value);
    }

    @Test
    void aNewRuleIsPostedOnce() throws Exception {
        String body = "{\"name\":\"tweets_post_limit\",\"endpoint\":\"/api/v1/tweets\",\"method\":\"POST\","
                + "\"key\":\"user_id\",\"limit\":100,\"window\":\"1h\",\"algorithm\":\"sliding_window\"}";
        assertThat(running.admin.post("/ratelimit/rules", body).statusCode()).isEqualTo(201);
        assertThat(running.admin.post("/ratelimit/rules", body).statusCode()).isEqualTo(412);
        JsonObject request = new JsonObject()
                .put("user_id", "u")
                .put("endpoint", "/api/v1/tweets")
                .put("method", "POST");
        assertThat(new JsonObject(running.http.check(request).body()).getInteger("remaining"))
                .isEqualTo(99);
        running.admin.delete(CONFIG + "tweets_post_limit");
    }

    @Test
    void aRuleOfTheDatabaseReplacesTheOneInTheFileUntilItIsGone() throws Exception {
        running.admin.put(
                CONFIG + "reads",
                "{\"match\":{\"endpoint\":\"GET /reads\"},\"key_by\":\"api_key\",\"limit\":{\"requests\":50,\"window\":\"1h\"}}");
        JsonObject shown = new JsonObject(running.admin.get(CONFIG + "reads").body());
        assertThat(shown.getString("hides")).contains("api.yaml:7:11");
        assertThat(remaining("reader", "GET /reads")).isEqualTo(49);
        running.admin.delete(CONFIG + "reads");
        assertThat(remaining("reader", "GET /reads")).isLessThan(3);
        assertThat(new JsonObject(running.admin.get(CONFIG + "reads").body()).getString("source"))
                .contains("api.yaml:7:11");
    }

    @Test
    void aStaleTagChangesNothing() throws Exception {
        String tag = tag(running.admin.put(CONFIG + "tagged", SEED));
        assertThat(running.admin.put(CONFIG + "tagged", SEED, "If-Match", tag).statusCode())
                .isEqualTo(200);
        HttpResponse<String> stale = running.admin.put(CONFIG + "tagged", SEED, "If-Match", tag);
        assertThat(stale.statusCode()).isEqualTo(412);
        assertThat(stale.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(running.admin.delete(CONFIG + "tagged", "If-Match", tag).statusCode())
                .isEqualTo(412);
        assertThat(running.admin
                        .put(CONFIG + "tagged", SEED, "If-None-Match", "*")
                        .statusCode())
                .isEqualTo(412);
        assertThat(running.admin.put(CONFIG + "tagged", SEED, "If-Match", "17").statusCode())
                .isEqualTo(400);
        running.admin.delete(CONFIG + "tagged");
    }

    private static String tag(HttpResponse<String> answer) {
        return answer.headers().firstValue("ETag").orElseThrow();
    }

    @Test
    void aDryRunTellsWhatWouldChange() throws Exception {
        JsonObject told = new JsonObject(
                running.admin.put(CONFIG + "dry?dry_run=true", SEED).body());
        assertThat(told.getString("change")).isEqualTo("create");
        assertThat(told.getJsonObject("after").getJsonObject("rule").getInteger("burst"))
                .isEqualTo(150);
        assertThat(running.admin.get(CONFIG + "dry").statusCode()).isEqualTo(404);
    }

    @Test
    void everyErrorOfARuleIsToldWithItsPlace() throws Exception {
        HttpResponse<String> answer = running.admin.put(CONFIG + "bad", """
                {"algorithm": "token_buket",
                 "rate": -1, "window": "1x", "colour": "red"}
                """);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(new JsonObject(answer.body()).getJsonArray("errors").stream().map(String::valueOf))
                .anyMatch(each ->
                        each.startsWith("body:1:15: unknown algorithm 'token_buket' (did you mean token_bucket?)"))
                .anyMatch(each -> each.startsWith("body:2:10: requests: '-1'"))
                .anyMatch(each -> each.startsWith("body:2:24: window: '1x'"))
                .anyMatch(each -> each.contains("unknown field 'colour'"));
        assertThat(running.admin.get(CONFIG + "bad").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "7",
                "{\"rate\":1",
                "{\"name\":\"other\",\"rate\":1,\"window\":\"1s\"}",
                "{\"rate\":1e400,\"window\":\"1s\"}"
            })
    void whatIsNoRuleIsRefused(String body) throws Exception {
        assertThat(running.admin.put(CONFIG + "bad", body).statusCode()).isEqualTo(400);
    }

    @Test
    void rulesAreListedAPageAtATime() throws Exception {
        JsonObject first =
                new JsonObject(running.admin.get("/v1/ratelimit/config?limit=2").body());
        assertThat(first.getJsonArray("rules")).hasSize(2);
        String next = first.getString("next");
        JsonObject second = new JsonObject(running.admin
                .get("/v1/ratelimit/config?limit=1000&after="
                        + java.net.URLEncoder.encode(next, java.nio.charset.StandardCharsets.UTF_8))
                .body());
        assertThat(ids(first)).doesNotContainAnyElementsOf(ids(second));
        assertThat(ids(second)).contains("tier:free");
        assertThat(second.getString("next")).isNull();
        assertThat(running.admin.get("/v1/ratelimit/config?limit=0").statusCode())
                .isEqualTo(400);
    }

    private static List<String> ids(JsonObject page) {
        JsonArray rules = page.getJsonArray("rules");
        return rules.stream()
                .map(each -> ((JsonObject) each).getString("rule_id"))
                .toList();
    }

    @Test
    void aSlashInANameHidesNoRuleFromTheList(@TempDir Path other) throws Exception {
        Files.writeString(
                other.resolve("a.yaml"), "{domain: a, rules: [{name: b/c, limit: {requests: 1, window: 1s}}]}");
        Files.writeString(
                other.resolve("b.yaml"), "{domain: a/b, rules: [{name: c, limit: {requests: 1, window: 1s}}]}");
        Files.writeString(other.resolve("e.yaml"), """
                domain: envoy
                descriptors:
                  - { key: one, rate_limit: { name: x, unit: second, requests_per_unit: 1 } }
                  - { key: two, rate_limit: { name: x, unit: second, requests_per_unit: 1 } }
                """);
        try (RunningServer server = RunningServer.with(other)) {
            assertThat(listed(server, "")).isEqualTo(4);
            assertThat(listed(server, "?domain=a")).isEqualTo(1);
        }
    }

    private static int listed(RunningServer server, String query) throws Exception {
        return new JsonObject(server.admin.get("/v1/ratelimit/config" + query).body())
                .getJsonArray("rules")
                .size();
    }

    @Test
    void usageThatTheStoreDoesNotTellIsNotInvented(@TempDir Path data) throws Exception {
        try (RunningServer away =
                RunningServer.with(rules(), "data", data.toString(), "store", "redis://127.0.0.1:1")) {
            away.admin.put(QUOTAS + "abc123", "{\"tier\":\"free\"}");
            JsonObject usage =
                    new JsonObject(away.admin.get("/admin/v1/usage/abc123").body());
            assertThat(usage.getJsonObject("usage"))
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(((JsonObject) each.getValue()).fieldNames())
                            .contains("degraded")
                            .doesNotContain("used", "remaining"));
        }
    }

    @Test
    void theQuotaWalkOfTheSourceDocument() throws Exception {
        Instant until = Instant.now().plusSeconds(3);
        JsonObject quota = new JsonObject()
                .put("tier", "enterprise")
                .put(
                        "overrides",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("descriptor", "endpoint:POST /api/v1/orders")
                                        .put("requests_per_unit", 500)
                                        .put("unit", "minute")))
                .put("effective_at", "2025-02-01T00:00:00Z")
                .put("expires_at", until.toString());
        HttpResponse<String> put = running.admin.put(QUOTAS + "abc123", quota.encode());
        assertThat(put.statusCode()).isEqualTo(200);
        JsonObject agreed = new JsonObject(put.body());
        assertThat(agreed.getJsonObject("quotas").getJsonObject("default"))
                .isEqualTo(new JsonObject().put("requests_per_unit", 5000).put("unit", "minute"));
        assertThat(agreed.getJsonObject("quotas").getJsonArray("overrides")).isEqualTo(quota.getJsonArray("overrides"));

        JsonObject check = check("abc123", "POST /api/v1/orders");
        assertThat(check.getString("rule")).isEqualTo("override");
        assertThat(check.getInteger("remaining")).isEqualTo(499);

        JsonObject usage =
                new JsonObject(running.admin.get("/admin/v1/usage/abc123").body());
        assertThat(usage.getJsonObject("usage").getJsonObject("default").getInteger("used"))
                .isEqualTo(1);
        assertThat(usage.getJsonObject("usage").getJsonObject("default").getInteger("limit"))
                .isEqualTo(5000);
        JsonObject orders = usage.getJsonObject("usage").getJsonObject("endpoint:POST /api/v1/orders");
        assertThat(orders.getInteger("used")).isEqualTo(1);
        assertThat(orders.getInteger("remaining")).isEqualTo(499);
        assertThat(usage.getJsonObject("current_window").getString("start")).endsWith(":00Z");

        Awaitility.await()
                .atMost(Duration.ofSeconds(5))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> check("abc123", "POST /api/v1/orders").getString("rule") == null);
        assertThat(Instant.now()).isBetween(until, until.plusMillis(500));
        assertThat(running.admin.delete(QUOTAS + "abc123").statusCode()).isEqualTo(204);
    }

    @Test
    void everyErrorOfAQuotaIsTold() throws Exception {
        HttpResponse<String> answer = running.admin.put(QUOTAS + "k", """
                {"tier": "entreprise", "overrides": [
                  {"descriptor": "nobody", "requests_per_unit": 1, "unit": "minute"},
                  {"descriptor": "reads", "requests_per_unit": "many", "unit": "fortnight"}],
                 "expires_at": "tomorrow"}
                """);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(new JsonObject(answer.body()).getJsonArray("errors").stream().map(String::valueOf))
                .anyMatch(each -> each.contains(
                        "unknown tier 'entreprise' (did you mean enterprise? expected: enterprise or free)"))
                .anyMatch(each -> each.startsWith("body:3:48: requests_per_unit"))
                .anyMatch(each -> each.contains("unknown unit 'fortnight'"))
                .anyMatch(each -> each.contains("expires_at: 'tomorrow'"));
        HttpResponse<String> useless = running.admin.put(
                QUOTAS + "k",
                "{\"overrides\":[{\"descriptor\":\"nobody\",\"requests_per_unit\":1,\"unit\":\"minute\"}]}");
        assertThat(useless.body()).contains("no such rule");
        assertThat(running.admin.get(QUOTAS + "k").statusCode()).isEqualTo(404);
    }

    @Test
    void theAuditTellsWhoChangedWhatAndIsWhole() throws Exception {
        running.admin.put(CONFIG + "audited", SEED, "X-Weir-Author", "ada", "X-Weir-Reason", "a launch");
        running.admin.delete(CONFIG + "audited");
        JsonArray changes =
                new JsonObject(running.admin.get("/admin/v1/audit?limit=1000").body()).getJsonArray("changes");
        assertThat(changes.stream().map(JsonObject.class::cast))
                .anyMatch(each -> each.getString("subject").equals("audited")
                        && each.getString("who").equals("ada (claimed)")
                        && each.getString("reason").equals("a launch")
                        && each.getString("from").startsWith("127.0.0.1"));
        JsonObject verified =
                new JsonObject(running.admin.get("/admin/v1/audit/verify").body());
        assertThat(verified.getBoolean("whole")).isTrue();
        assertThat(verified.getInteger("changes")).isEqualTo(changes.size());
    }

    @ParameterizedTest
    @CsvSource({
        "Origin, http://evil.example, 403",
        "Sec-Fetch-Site, cross-site, 403",
        "Sec-Fetch-Site, same-site, 403",
        "Origin, null, 403",
        "Sec-Fetch-Site, same-origin, 200"
    })
    void aPageOfAnotherSiteChangesNothing(String header, String value, int status) throws Exception {
        assertThat(running.admin
                        .put(CONFIG + "site?dry_run=true", SEED, header, value)
                        .statusCode())
                .isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"POST, /v1/ratelimit/config/x, 405", "PUT, /admin/v1/audit, 405", "GET, /v1/nothing, 404"})
    void whatIsNotHereIsSaid(String method, String path, int status) throws Exception {
        assertThat(running.admin(method, path).statusCode()).isEqualTo(status);
    }

    @Test
    void aSecondServerOnTheFolderRefusesToStart() {
        assertThatThrownBy(() -> RunningServer.with(
                        folder.resolve("api.yaml"),
                        "data",
                        folder.resolve("data").toString()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("another server");
    }

    @Test
    void withoutAPlaceToKeepThingsNothingCanBeChangedAndItSaysWhatToSet() throws Exception {
        try (RunningServer plain = RunningServer.with(rules())) {
            HttpResponse<String> answer = plain.admin.put(CONFIG + "r_abc", SEED);
            assertThat(answer.statusCode()).isEqualTo(409);
            assertThat(answer.body()).contains("--data", "--db");
            assertThat(new JsonObject(plain.admin.get("/v1/ratelimit/config").body()).getJsonArray("rules"))
                    .hasSize(3);
        }
    }

    private static JsonObject check(String apiKey, String endpoint) throws Exception {
        return new JsonObject(running.http
                .check(new JsonObject().put("api_key", apiKey).put("endpoint", endpoint))
                .body());
    }

    private static int remaining(String apiKey, String endpoint) throws Exception {
        return check(apiKey, endpoint).getInteger("remaining");
    }
}
