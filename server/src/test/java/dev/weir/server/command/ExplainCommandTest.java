package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir explain} and {@code POST /admin/v1/explain} against a whole server. */
class ExplainCommandTest extends AtTheTerminal {
    @TempDir
    Path folder;

    private RunningServer server;

    @BeforeEach
    void start() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), """
                domain: api
                key_by: api_key
                tiers:
                  free: { requests: 100, window: 1h, algorithm: fixed_window }
                  pro: { requests: 1000, window: 1h, algorithm: fixed_window }
                rules:
                  - name: orders
                    match: { endpoint: "POST /orders" }
                    limit: { requests: 2, window: 10s, algorithm: token_bucket }
                  - name: watched
                    limit: { requests: 1, window: 1h, algorithm: fixed_window }
                    shadow: true
                """);
        server = RunningServer.with(rules, "data", folder.resolve("data").toString());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void order() throws Exception {
        server.http.check(new JsonObject().put("api_key", "k").put("endpoint", "POST /orders"));
    }

    private JsonObject rule(JsonObject answer, String name) {
        return answer.getJsonArray("rules").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("rule").equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyRuleThatLookedIsToldWithItsCounterOrWhyNot() throws Exception {
        order();
        order();
        order();
        assertThat(run("api", "api_key=k", "endpoint=POST /orders", "--json")).isEqualTo(1);
        JsonObject answer = new JsonObject(out.toString());

        JsonObject orders = rule(answer, "orders");
        assertThat(orders.getBoolean("met")).isTrue();
        assertThat(orders.getString("counter")).isEqualTo("api_key=k");
        assertThat(orders.getString("source")).contains("rules.yaml:7:");
        assertThat(orders.getLong("used")).isEqualTo(2);
        assertThat(orders.getBoolean("has_room")).isFalse();
        assertThat(orders.getDouble("retry_after")).isBetween(0.0, 5.0);
        assertThat(orders.getJsonObject("limit").getString("from")).isEqualTo("rule");
        assertThat(rule(answer, "watched").getString("mode")).isEqualTo("shadow");
        assertThat(rule(answer, "watched").getBoolean("has_room")).isFalse();
        assertThat(answer.getJsonArray("rules").stream()
                        .map(JsonObject.class::cast)
                        .filter(each -> !each.getBoolean("met")))
                .hasSize(2)
                .allMatch(each -> each.getString("why").startsWith("tier is missing (expected: "));

        assertThat(run("api", "api_key=k", "endpoint=POST /orders")).isEqualTo(1);
        assertThat(out.toString())
                .startsWith("it would be denied")
                .contains("2 per 10s", "passes in ", "(shadow)", "APPLIES IF");
        assertThat(run("api", "api_key=k", "endpoint=GET /orders")).isZero();
        assertThat(out.toString()).contains("DOES NOT APPLY, BECAUSE");
    }

    @Test
    void moreThanALimitCanHoldDoesNotPassHoweverLarge() throws Exception {
        server.admin.put(
                "/v1/ratelimit/config/double",
                "{match: {kind: double}, key_by: api_key, cost: 2, limit: {requests: 1000, window: 1h}}");
        for (long hits : new long[] {501, Long.MAX_VALUE / 2 + 1, Long.MAX_VALUE}) {
            JsonObject request = new JsonObject()
                    .put("domain", "api")
                    .put("attributes", new JsonObject().put("api_key", "k").put("kind", "double"))
                    .put("hits", hits);
            JsonObject answer = new JsonObject(
                    server.admin.post("/admin/v1/explain", request.encode()).body());
            assertThat(answer.getBoolean("would_pass")).as("%s", answer).isFalse();
        }
    }

    @Test
    void aQuotaShowsAsTierAndOverride() throws Exception {
        server.admin.put(
                "/admin/v1/quotas/k",
                "{\"tier\": \"pro\", \"overrides\": [{\"descriptor\": \"orders\", \"requests_per_unit\": 50, \"unit\": \"minute\"}]}");
        assertThat(run("api", "api_key=k", "endpoint=POST /orders", "--json")).isZero();
        JsonObject answer = new JsonObject(out.toString());

        assertThat(answer.getString("tier")).isEqualTo("pro");
        assertThat(rule(answer, "orders").getJsonObject("limit").getString("from"))
                .isEqualTo("override");
        assertThat(rule(answer, "orders").getJsonObject("limit").getLong("requests"))
                .isEqualTo(50);
        assertThat(answer.getJsonArray("rules").stream()
                        .map(JsonObject.class::cast)
                        .filter(each -> each.getBoolean("met")
                                && each.getJsonObject("limit").getString("from").equals("tier")))
                .hasSize(1);
    }

    @Test
    void explainingTakesNothingAndMistakesAreSaid() throws Exception {
        for (int i = 0; i < 5; i++) {
            assertThat(run("api", "api_key=k", "endpoint=POST /orders")).isZero();
        }
        assertThat(run("api", "api_key=k", "endpoint=POST /orders", "--hits", "3"))
                .isEqualTo(1);
        assertThat(out.toString()).contains("never passes");
        assertThat(run("nowhere", "api_key=k")).isEqualTo(3);
        assertThat(err.toString()).contains("no such domain: \"nowhere\" (expected: one of \"api\")");
        assertThat(run("aip", "api_key=k")).isEqualTo(3);
        assertThat(err.toString()).contains("no such domain: \"aip\" (did you mean \"api\"?)");
        assertThat(run("api", "apikey=k")).isZero();
        assertThat(out.toString())
                .contains("note: no rule uses \"apikey\" (expected: one of \"api_key\", \"endpoint\", \"tier\")");
        assertThat(run("api", "nonsense")).isEqualTo(2);
        assertThat(server.admin.post("/admin/v1/explain", "[]").statusCode()).isEqualTo(400);
        assertThat(server.admin
                        .post("/admin/v1/explain", "{\"attributes\": {\"a\": 1}}")
                        .body())
                .contains("(expected: a text)");
        assertThat(server.admin.post("/admin/v1/explain", "{\"atributes\": {}}").body())
                .contains("no such member");
        assertThat(server.admin.get("/admin/v1/explain").statusCode()).isEqualTo(405);
    }

    @Test
    void aCallerAloneIsToldWhereItIsDenied() throws Exception {
        assertThat(run("api", "api_key=k")).isZero();
        assertThat(out.toString())
                .startsWith("it would pass\n")
                .contains("APPLIES IF")
                .doesNotContain("denied on");
        order();
        order();
        assertThat(run("api", "api_key=k")).isZero();
        assertThat(out.toString()).startsWith("it would pass with these attributes alone\ndenied on: orders\n");
        assertThat(out.toString().lines())
                .anyMatch(line ->
                        line.matches("orders +endpoint is POST /orders +api_key=k +2 +2 per 10s +passes in [0-9]+m?s"));
        assertThat(run("api", "api_key=other")).isZero();
        assertThat(out.toString()).doesNotContain("denied on");
        // Whoever asks about an endpoint is told about that endpoint.
        assertThat(run("api", "api_key=k", "endpoint=GET /orders", "--json")).isZero();
        assertThat(new JsonObject(out.toString()).getJsonArray("denied_on")).isEmpty();
    }

    @Test
    void severalDescriptorsOfAnEnvoyRequestAreExplainedTogether() throws Exception {
        Path rules = Files.writeString(folder.resolve("envoy.yaml"), """
                domain: edge
                descriptors:
                  - { key: generic_key, value: all, rate_limit: { unit: hour, requests_per_unit: 100 } }
                  - key: path
                    value: /login
                    descriptors:
                      - { key: address, rate_limit: { unit: hour, requests_per_unit: 1 } }
                """);
        try (RunningServer edge = RunningServer.with(rules)) {
            String admin = "http://" + edge.server.admin();
            String[] request = {"edge", "generic_key=all", "+", "path=/login", "address=10.0.0.7"};
            assertThat(executeAt(admin, "explain", request)).isZero();
            List<String> check = new ArrayList<>(List.of("check", "--url", edge.url()));
            check.addAll(List.of(request));
            assertThat(execute(check)).isZero();
            assertThat(executeAt(admin, "explain", request)).isEqualTo(1);
            assertThat(out.toString().lines().skip(2))
                    .as("%s", out)
                    .anyMatch(line -> line.matches("generic_key_all +generic_key=all .* 1 +100 per 1h .* room .*"))
                    .anyMatch(line ->
                            line.matches("path_/login.address +path=/login,? ?address=10.0.0.7 .* passes in .*"));
            // A caller alone, in Envoy's format.
            assertThat(executeAt(admin, "explain", "edge", "address=10.0.0.7")).isZero();
            assertThat(out.toString()).startsWith("no rule applies").contains("denied on: path_/login.address");
        }
    }

    @Test
    void theLineOfTheExplainBoxIsReadAsAShellReadsIt() throws Exception {
        order();
        order();
        for (String line : List.of(
                "api api_key=k endpoint=\"POST /orders\"",
                "api 'api_key=k' 'endpoint=POST /orders'",
                "api api_key=\"k\" endpoint=POST\\ /orders")) {
            JsonObject answer = new JsonObject(server.admin
                    .post(
                            "/admin/v1/explain",
                            new JsonObject().put("line", line).encode())
                    .body());
            assertThat(answer.getBoolean("would_pass"))
                    .as("%s: %s", line, answer)
                    .isFalse();
        }
        assertThat(server.admin
                        .post(
                                "/admin/v1/explain",
                                new JsonObject().put("line", "api a=\"b").encode())
                        .body())
                .contains("is not closed");
    }

    @Test
    void aResetIsAuditedWithWhoAndWhyAndWhatThereWas() throws Exception {
        order();
        assertThat(executeAt(
                        address(),
                        "counter",
                        "reset",
                        "api",
                        "api_key=k",
                        "endpoint=POST /orders",
                        "--reason",
                        "a refund"))
                .isZero();
        String audit = server.admin.get("/admin/v1/audit").body();
        JsonObject line = new JsonObject(audit).getJsonArray("changes").getJsonObject(0);

        assertThat(line.getString("kind")).isEqualTo("counter");
        assertThat(line.getString("subject")).isEqualTo("api api_key=k endpoint=POST /orders");
        assertThat(line.getString("reason")).isEqualTo("a refund");
        assertThat(line.getValue("after")).isNull();
        assertThat(line.getJsonArray("before").getJsonObject(0).getString("rule"))
                .isEqualTo("orders");
        assertThat(line.getJsonArray("before").getJsonObject(0).getLong("used")).isEqualTo(1);
        assertThat(server.admin.get("/admin/v1/audit/verify").body()).contains("\"whole\":true");
    }

    private String address() {
        return "http://" + server.server.admin();
    }

    private int run(String... arguments) {
        return executeAt(address(), "explain", arguments);
    }
}
