package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Switches on the admin port, on a server that keeps them in its folder. */
class SwitchServerTest {
    private static final String SWITCHES = "/admin/v1/switches/";

    @TempDir
    static Path folder;

    private static RunningServer running;

    @BeforeAll
    static void start() throws Exception {
        Path rules = Files.createDirectory(folder.resolve("rules"));
        Files.writeString(rules.resolve("api.yaml"), """
                domain: api
                rules:
                  - { name: orders, match: { endpoint: /orders }, key_by: user_id, limit: { requests: 0, window: 1h } }
                  - { name: both, match: { endpoint: /both }, limit: { requests: 0, window: 1h } }
                  - { name: all, match: { endpoint: /all }, limit: { requests: 0, window: 1h } }
                """);
        Files.writeString(rules.resolve("web.yaml"), """
                domain: web
                rules:
                  - { name: both, match: { endpoint: /both }, limit: { requests: 0, window: 1h } }
                """);
        Files.writeString(rules.resolve("edge.yaml"), """
                domain: edge
                descriptors:
                  - { key: a, value: b, rate_limit: { unit: day, requests_per_unit: 1 } }
                  - { key: a_b, rate_limit: { unit: day, requests_per_unit: 1 } }
                """);
        running = RunningServer.with(rules, "data", folder.resolve("data").toString());
    }

    @AfterAll
    static void stop() {
        running.close();
    }

    @AfterEach
    void release() throws Exception {
        for (Object each :
                new JsonObject(running.admin.get("/admin/v1/switches").body()).getJsonArray("switches")) {
            JsonObject one = (JsonObject) each;
            String domain = one.getString("domain") == null ? "" : "?domain=" + one.getString("domain");
            assertThat(running.admin
                            .delete(SWITCHES + one.getString("rule") + domain)
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    /** As curl sends them; Java's client sends only ASCII. */
    @Test
    void aReasonAndANameMayBeInAnyLanguage() throws Exception {
        String reason = "Stra\u00dfe \u2014 \u0445\u043e\u0440\u043e\u0448\u043e";
        String request = String.join(
                "\r\n",
                "PUT " + SWITCHES + "orders HTTP/1.1",
                "Host: localhost",
                "X-Weir-Author: \u00dcnal",
                "X-Weir-Reason: " + reason,
                "Content-Length: 18",
                "Connection: close",
                "",
                "{\"state\":\"shadow\"}");
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), running.server.admin().port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).startsWith("HTTP/1.1 200");
        }
        assertThat(running.admin.get(SWITCHES + "orders").body()).contains(reason, "\u00dcnal (claimed)");
    }

    @Test
    void aRuleIsSwitchedAndReleasedAndTheAnswerOfACheckTells() throws Exception {
        assertThat(check("/orders").statusCode()).isEqualTo(429);
        HttpResponse<String> put = running.admin.put(
                SWITCHES + "orders", "{\"state\":\"off\",\"reason\":\"too strict\"}", "X-Weir-Author", "ada");
        assertThat(put.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(put.body()).getMap())
                .containsEntry("rule", "orders")
                .containsEntry("domain", "api")
                .containsEntry("state", "off")
                .containsEntry("rollout", null)
                .containsEntry("reason", "too strict")
                .containsEntry("updated_by", "ada (claimed)")
                .containsEntry("via", "database");
        assertThat(check("/orders").body()).isEqualTo("{\"allowed\":true,\"switched\":{\"orders\":\"off\"}}");
        String twice = "{\"entries\":[{\"key\":\"endpoint\",\"value\":\"/orders\"}]}";
        assertThat(running.post(
                                "/v1/ratelimit/check",
                                "{\"domain\":\"api\",\"descriptors\":[" + twice + "," + twice + "]}")
                        .body())
                .isEqualTo("{\"allowed\":true,\"switched\":{\"orders\":\"off\"}}");
        assertThat(metrics()).contains("ratelimit_switch{domain=\"api\",rule=\"orders\",state=\"off\"} 1\n");
        assertThat(running.admin.get("/v1/ratelimit/config/orders").body()).contains("\"switched\":\"off\"");
        assertThat(running.admin.put(SWITCHES + "orders", "{state: shadow}").statusCode())
                .isEqualTo(200);
        assertThat(new JsonObject(check("/orders").body()).getJsonObject("switched"))
                .isEqualTo(new JsonObject().put("orders", "shadow"));
        assertThat(running.admin.delete(SWITCHES + "orders").statusCode()).isEqualTo(200);
        assertThat(check("/orders").statusCode()).isEqualTo(429);
        assertThat(running.admin.get(SWITCHES + "orders").statusCode()).isEqualTo(404);
        assertThat(metrics())
                .contains(
                        "ratelimit_switch{domain=\"api\",rule=\"orders\",state=\"off\"} 0\n",
                        "ratelimit_switch{domain=\"api\",rule=\"orders\",state=\"shadow\"} 0\n",
                        "ratelimit_rollout_ratio{domain=\"api\",rule=\"orders\"} 1.0\n");
    }

    @Test
    void aRuleIsRolledOutToAPartOfItsCallers() throws Exception {
        running.admin.put(SWITCHES + "orders", "{\"rollout\":25}");
        int denied = 0;
        for (int i = 0; i < 200; i++) {
            denied += running.http
                                    .check(new JsonObject()
                                            .put("domain", "api")
                                            .put("endpoint", "/orders")
                                            .put("user_id", "u" + i))
                                    .statusCode()
                            == 429
                    ? 1
                    : 0;
        }
        assertThat(denied).isBetween(25, 75);
        assertThat(metrics()).contains("ratelimit_rollout_ratio{domain=\"api\",rule=\"orders\"} 0.25\n");
    }

    @Test
    void everythingIsSwitchedAtOnceAndARuleMayBeCalledAllAsWell() throws Exception {
        assertThat(metrics()).contains("ratelimit_switch_all{state=\"off\"} 0\n");
        running.admin.put(SWITCHES + "all", "{\"state\":\"off\"}");
        for (String each : new String[] {"/orders", "/both", "/all"}) {
            assertThat(check(each).body()).isEqualTo("{\"allowed\":true,\"switched\":{\"all\":\"off\"}}");
        }
        assertThat(metrics()).contains("ratelimit_switch_all{state=\"off\"} 1\n");
        running.admin.put(SWITCHES + "all", "{\"state\":\"on\"}");
        assertThat(check("/all").statusCode()).isEqualTo(429);
        running.admin.put(SWITCHES + "all?domain=api", "{\"state\":\"off\"}");
        assertThat(check("/all").statusCode()).isEqualTo(200);
        assertThat(check("/orders").statusCode()).isEqualTo(429);
    }

    @Test
    void aNameInSeveralDomainsNeedsOne() throws Exception {
        HttpResponse<String> refused = running.admin.put(SWITCHES + "both", "{\"state\":\"off\"}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("exists in the domains api, web");
        assertThat(running.admin
                        .put(SWITCHES + "both?domain=web", "{\"state\":\"off\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(check("/both").statusCode()).isEqualTo(429);
    }

    @Test
    void aStaleTagChangesNothingAndADryRunNeither() throws Exception {
        HttpResponse<String> put = running.admin.put(SWITCHES + "orders", "{\"state\":\"off\"}");
        String tag = put.headers().firstValue("ETag").orElseThrow();
        assertThat(running.admin.get(SWITCHES + "orders").headers().firstValue("ETag"))
                .hasValue(tag);
        JsonObject would = new JsonObject(running.admin
                .put(SWITCHES + "orders?dry_run=true", "{\"state\":\"shadow\"}")
                .body());
        assertThat(would.getString("change")).isEqualTo("update");
        running.admin.put(SWITCHES + "orders", "{\"state\":\"shadow\"}", "If-Match", tag);
        assertThat(running.admin
                        .put(SWITCHES + "orders", "{\"state\":\"on\"}", "If-Match", tag)
                        .statusCode())
                .isEqualTo(412);
        assertThat(running.admin
                        .put(SWITCHES + "orders", "{\"state\":\"on\"}", "If-None-Match", "*")
                        .statusCode())
                .isEqualTo(412);
        assertThat(new JsonObject(running.admin.get(SWITCHES + "orders").body()).getString("state"))
                .isEqualTo("shadow");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            orders | {"state":"offf"}                  | 400 | body:1:10: unknown state 'offf' (did you mean off?)
            orders | {"state":["off"]}                 | 400 | body:1:10: state: a list (expected: a single value)
            orders | {"rollout":101}                   | 400 | a percentage from 0 to 100
            orders | {"rollout":NaN}                   | 400 | a percentage from 0 to 100
            orders | {"rollout":-1}                    | 400 | a percentage from 0 to 100
            orders | {"rollout":1e400}                 | 400 | a percentage from 0 to 100
            orders | {"state":"off","rollout":5}       | 400 | rollout beside state off
            all    | {"rollout":5}                     | 400 | rollout of everything
            orders | {}                                | 400 | neither state nor rollout
            orders | []                                | 400 | the switch: a list
            orders | {"state":"off","enabled":false}   | 400 | unknown field 'enabled'
            orders | {"state":"off","reason":"a\\nb"}  | 400 | reason
            orders | {"state":"off"                    | 400 | body:1
            a_b    | {"state":"off"}                   | 400 | is the label of several rules (expected: the id of one: "a=b day fixed_window, a_b day fixed_window")
            absent | {"state":"off"}                   | 404 | no such rule
            %00    | {"state":"off"}                   | 400 | rule:
            %23override | {"state":"off"}              | 404 | no such rule
            """)
    void whatIsWrongIsSaidAndChangesNothing(String rule, String body, int status, String says) throws Exception {
        HttpResponse<String> refused = running.admin.put(SWITCHES + rule, body);
        assertThat(refused.statusCode()).isEqualTo(status);
        assertThat(Objects.requireNonNull(new JsonObject(refused.body()).getString("detail")))
                .contains(says);
        assertThat(new JsonObject(running.admin.get("/admin/v1/switches").body()).getJsonArray("switches"))
                .isEmpty();
    }

    @Test
    void aPageOfAnotherSiteSwitchesNothing() throws Exception {
        assertThat(running.admin
                        .put(SWITCHES + "all", "{\"state\":\"off\"}", "Origin", "https://evil.example")
                        .statusCode())
                .isEqualTo(403);
        assertThat(check("/orders").statusCode()).isEqualTo(429);
    }

    private static HttpResponse<String> check(String endpoint) throws Exception {
        return running.http.check(
                new JsonObject().put("domain", "api").put("endpoint", endpoint).put("user_id", "u_42"));
    }

    private static String metrics() throws Exception {
        return running.http.get("/metrics").body();
    }
}
