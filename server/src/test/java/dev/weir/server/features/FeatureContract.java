package dev.weir.server.features;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.RunningServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The promises that every feature keeps, on a whole server. */
abstract class FeatureContract {
    private static final AtomicInteger CALLERS = new AtomicInteger();
    private static final int MANY = 30;

    @TempDir
    static Path folder;

    static RunningServer server;

    private final int caller = 1 + CALLERS.getAndIncrement() % Feature.CALLERS;

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void reportLoad() {
        await().untilAsserted(() -> {
            server.post("/v1/load/database", "{\"utilisation\": 0.9}");
            assertThat(explained(Feature.LOAD).getJsonObject("limit").getInteger("requests"))
                    .isEqualTo(2);
        });
    }

    @AfterEach
    void releaseSwitches() throws Exception {
        JsonArray all = new JsonObject(server.admin.get("/admin/v1/switches").body()).getJsonArray("switches");
        for (Object each : all) {
            JsonObject one = (JsonObject) each;
            String domain = one.getString("domain") == null ? "" : "?domain=" + one.getString("domain");
            server.admin.delete("/admin/v1/switches/" + one.getString("rule") + domain);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noMoreThanTheLimitPass(Feature feature) {
        List<Integer> answers = IntStream.range(0, MANY)
                .parallel()
                .mapToObj(each -> status(feature))
                .collect(Collectors.toList());
        assertThat(answers).containsOnly(200, feature.denied);
        assertThat(answers.stream().filter(each -> each == 200)).hasSize(feature.passes);
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatAnotherRuleDeniesTakesNothing(Feature feature) throws Exception {
        for (int i = 0; i < MANY; i++) {
            HttpResponse<String> stopped = server.http.post(
                    feature.path,
                    feature.request("api", caller).put("stop", "yes").encode());
            assertThat(stopped.statusCode()).as(stopped.body()).isEqualTo(429);
        }
        assertThat(passing(feature)).isEqualTo(feature.passes);
    }

    @ParameterizedTest
    @EnumSource
    void aSwitchSuspendsItAndIsAudited(Feature feature) throws Exception {
        exhaust(feature);
        for (String state : List.of("off", "shadow")) {
            switchTo(feature.rule(caller) + "?domain=api", new JsonObject().put("state", state));
            HttpResponse<String> passed = ask(feature);
            assertThat(passed.statusCode()).as(passed.body()).isEqualTo(200);
            assertThat(new JsonObject(passed.body()).getJsonObject("switched"))
                    .as(passed.body())
                    .isEqualTo(new JsonObject().put(feature.rule(caller), state));
            assertThat(server.get("/metrics").body())
                    .contains("ratelimit_switch{domain=\"api\",rule=\"" + feature.rule(caller) + "\",state=\"" + state
                            + "\"} 1\n");
            JsonObject line = lastChange();
            assertThat(line.getString("kind")).isEqualTo("switch");
            assertThat(line.getString("subject")).contains(feature.rule(caller));
            assertThat(line.getString("who")).isEqualTo("ada (claimed)");
        }
        switchTo(feature.rule(caller) + "?domain=api", new JsonObject().put("state", "on"));
        exhaust(feature);
    }

    @Test
    void requestsThatWaitPassWhenTheirRuleIsSwitchedOff() throws Exception {
        String body = new JsonObject()
                .put("domain", "api")
                .put("feature", "patient")
                .put("user_id", "u" + caller)
                .encode();
        assertThat(server.post("/v1/ratelimit/check", body).statusCode()).isEqualTo(200);
        CompletableFuture<HttpResponse<String>> waiting = server.http.sendAsync(server.http
                .request("/v1/ratelimit/check")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
        await().until(() -> metric("ratelimit_waiting") > 0);
        switchTo("patient?domain=api", new JsonObject().put("state", "off"));
        assertThat(waiting.get(15, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(metric("ratelimit_waiting")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void switchingEverythingOffSuspendsIt(Feature feature) throws Exception {
        exhaust(feature);
        switchTo("all", new JsonObject().put("state", "off"));
        assertThat(status(feature)).isEqualTo(200);
        switchTo("all", new JsonObject().put("state", "on"));
        exhaust(feature);
    }

    @ParameterizedTest
    @EnumSource
    void aRolloutToNobodyDeniesNobody(Feature feature) throws Exception {
        switchTo(feature.rule(caller) + "?domain=api", new JsonObject().put("rollout", 0));
        for (int i = 0; i < MANY; i++) {
            assertThat(status(feature)).isEqualTo(200);
        }
        switchTo(feature.rule(caller) + "?domain=api", new JsonObject().put("rollout", 100));
        exhaust(feature);
    }

    @ParameterizedTest
    @EnumSource
    void explainSaysWhatACheckAnswers(Feature feature) throws Exception {
        assertThat(explained(feature).getBoolean("has_room")).isTrue();
        HttpResponse<String> denied = exhaust(feature);
        JsonObject answer = explain(feature);
        assertThat(answer.getBoolean("would_pass")).isFalse();
        assertThat(answer.getJsonObject("answer").getInteger("status")).isEqualTo(denied.statusCode());
        assertThat(explained(feature).getBoolean("has_room")).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void metricsCountWhatItDenies(Feature feature) throws Exception {
        String labels = "{domain=\"api\",rule=\"" + feature.rule(caller) + "\"}";
        double before = metric("ratelimit_denied_total" + labels);
        exhaust(feature);
        assertThat(metric("ratelimit_denied_total" + labels)).isEqualTo(before + 1);
        assertThat(server.get("/metrics").body().lines())
                .as("its fullest counter")
                .anyMatch(line -> line.startsWith(
                                "ratelimit_utilisation_ratio{domain=\"api\",rule=\"" + feature.rule(caller) + "\"")
                        && Double.parseDouble(line.substring(line.lastIndexOf(' '))) >= 0.9);
    }

    @ParameterizedTest
    @EnumSource
    void aResetGivesRoomAndIsAudited(Feature feature) throws Exception {
        exhaust(feature);
        reset(feature);
        JsonObject line = lastChange();
        assertThat(line.getString("kind")).isEqualTo("counter");
        assertThat(line.getJsonArray("before").getJsonObject(0).getString("rule"))
                .isEqualTo(feature.rule(caller));
        assertThat(line.getJsonArray("before").getJsonObject(0).getLong("used")).isPositive();
        assertThat(status(feature)).isEqualTo(200);
    }

    /** The capacity of a service stands in a file: no call changes it. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "CAPACITY")
    void aChangeOfItsRuleHoldsAtOnceAndIsAudited(Feature feature) throws Exception {
        exhaust(feature);
        String config = "/v1/ratelimit/config/" + feature.rule(caller) + "?domain=api";
        JsonObject rule = new JsonObject(server.admin.get(config).body());
        rule.getJsonObject("limit").put("requests", 1_000).remove("burst");
        HttpResponse<String> put = server.admin.put(config, rule.encode(), "X-Weir-Author", "ada");
        JsonObject line = lastChange();
        HttpResponse<String> after = ask(feature);
        assertThat(server.admin.delete(config).statusCode()).as(put.body()).isEqualTo(204);
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(after.statusCode()).as(after.body()).isEqualTo(200);
        assertThat(line.getString("subject")).contains(feature.rule(caller));
        assertThat(line.getString("who")).isEqualTo("ada (claimed)");
        assertThat(line.encode()).contains("1000");
        exhaust(feature);
    }

    private void switchTo(String switched, JsonObject state) throws Exception {
        HttpResponse<String> put =
                server.admin.put("/admin/v1/switches/" + switched, state.encode(), "X-Weir-Author", "ada");
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
    }

    private HttpResponse<String> ask(Feature feature) throws Exception {
        return server.http.post(feature.path, feature.request("api", caller).encode());
    }

    private int status(Feature feature) {
        try {
            return ask(feature).statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Asks until one is denied; returns how many passed. */
    private int passing(Feature feature) throws Exception {
        int passed = 0;
        HttpResponse<String> answer = ask(feature);
        while (answer.statusCode() == 200 && passed < MANY) {
            passed++;
            answer = ask(feature);
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(feature.denied);
        return passed;
    }

    /** Asks until one is denied; returns its answer. */
    private HttpResponse<String> exhaust(Feature feature) throws Exception {
        HttpResponse<String> answer = ask(feature);
        for (int i = 0; i < MANY && answer.statusCode() == 200; i++) {
            answer = ask(feature);
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(feature.denied);
        return answer;
    }

    private JsonObject explain(Feature feature) throws Exception {
        JsonObject request = feature.request("api", caller);
        JsonObject question = new JsonObject().put("domain", "api").put("attributes", feature.attributes(caller));
        if (request.containsKey("costs")) {
            question.put("costs", request.getJsonObject("costs"));
        }
        return new JsonObject(
                server.admin.post("/admin/v1/explain", question.encode()).body());
    }

    /** The row of explain for the rule. */
    private JsonObject explained(Feature feature) throws Exception {
        return explain(feature).getJsonArray("rules").stream()
                .map(JsonObject.class::cast)
                .filter(each -> feature.rule(caller).equals(each.getString("rule")))
                .findFirst()
                .orElseThrow();
    }

    private void reset(Feature feature) throws Exception {
        String query = feature.attributes(caller).stream()
                .map(each -> "&" + each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining());
        HttpResponse<String> reset = server.admin.delete("/v1/counters?domain=api" + query, "X-Weir-Reason", "a test");
        assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
    }

    private static JsonObject lastChange() throws Exception {
        JsonArray changes =
                new JsonObject(server.admin.get("/admin/v1/audit?limit=1000").body()).getJsonArray("changes");
        return changes.getJsonObject(changes.size() - 1);
    }

    private static double metric(String series) throws Exception {
        return server.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow();
    }
}
