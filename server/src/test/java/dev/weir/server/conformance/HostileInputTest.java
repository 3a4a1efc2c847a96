package dev.weir.server.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Input that is wrong, huge or sly: a precise error, nothing counted, and the server stays as it was. */
class HostileInputTest {
    private static final int MAX_KEYS = 4_096;

    @RegisterExtension
    static final ServerForAll server = new ServerForAll(
            Map.of("weir-spelling.yaml", """
                domain: own
                rules:
                  - name: per-user
                    match: { plan: "*" }
                    key_by: user_id
                    limit: { requests: 5, window: 1d }
                  - name: pair
                    match: { pair: "*" }
                    key_by: [user_id, ip]
                    limit: { requests: 5, window: 1d, algorithm: fixed_window }
                """, "envoy-spelling.yaml", """
                domain: envoy
                descriptors:
                  - key: user
                    rate_limit: {unit: year, requests_per_unit: 5}
                """), "max_keys", String.valueOf(MAX_KEYS));

    private static JsonObject user(String id) {
        return new JsonObject().put("domain", "own").put("plan", "x").put("user_id", id);
    }

    private static int remaining(HttpResponse<String> response) {
        return new JsonObject(response.body()).getInteger("remaining");
    }

    private static void isProblem(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
        JsonObject problem = new JsonObject(response.body());
        assertThat(problem.getInteger("status")).isEqualTo(status);
        assertThat(problem.getString("detail")).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NaN",
                "Infinity",
                "-Infinity",
                "1e400",
                "\"0x10\"",
                "0x10",
                "1.5",
                "-1",
                "\"3\"",
                "true",
                "[]",
                "{}",
                "01"
            })
    void aCostThatIsNoWholeNumberIsRefusedAndCountsNothing(String cost) throws Exception {
        String body = "{\"domain\": \"own\", \"plan\": \"x\", \"user_id\": \"cost\", \"cost\": " + cost + "}";
        isProblem(server.http().post("/v1/ratelimit/check", body), 400);

        assertThat(remaining(server.http().check(user("cost").put("cost", 0)))).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4294967295", "9007199254740992", "9223372036854775807", "18446744073709551615"})
    void aCostThatCanNeverFitIsDeniedForGoodAndLeavesTheCounterAsItWas(String cost) throws Exception {
        String body = "{\"domain\": \"own\", \"plan\": \"x\", \"user_id\": \"never\", \"cost\": " + cost + "}";
        HttpResponse<String> denied = server.http().post("/v1/ratelimit/check", body);

        assertThat(denied.statusCode()).as(denied.body()).isEqualTo(429);
        assertThat(denied.headers().firstValue("retry-after")).isEmpty();
        assertThat(new JsonObject(denied.body()).getString("reason")).isEqualTo("never");
        assertThat(remaining(server.http().check(user("never").put("cost", 0)))).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "null",
                "[]",
                "7",
                "{} {}",
                "{\"domain\": \"\"}",
                "{\"domain\": 7}",
                "{\"user_id\": 7, \"domain\": \"own\"}",
                "{\"domain\": \"own\", \"domain\": \"own\"}",
                "{\"domain\": \"own\", \"user_id\": {\"a\": 1}}",
                "{\"domain\": \"own\", \"user_id\": [[[[[[[[[[[[]]]]]]]]]]]]}"
            })
    void aBodyThatIsNoRequestIsRefused(String body) throws Exception {
        isProblem(server.http().post("/v1/ratelimit/check", body), 400);
        assertThat(server.http().post("/ratelimit/check", body).statusCode()).isEqualTo(400);
    }

    @Test
    void deepJsonIsRefusedFast() throws Exception {
        isProblem(server.http().post("/json", "[".repeat(500_000)), 400);
        isProblem(server.http().post("/json", "{\"domain\":".repeat(100_000)), 400);
        isProblem(server.http().post("/v1/ratelimit/check", "{\"a\":".repeat(100_000)), 400);
    }

    @Test
    void textThatIsNotUtf8IsRefused() throws Exception {
        byte[] body =
                "{\"domain\": \"own\", \"plan\": \"x\", \"user_id\": \"?\"}".getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < body.length; i++) {
            body[i] = body[i] == '?' ? (byte) 0xFF : body[i];
        }
        isProblem(server.http().post("/v1/ratelimit/check", body), 400);

        byte[] message = RlsWire.write("envoy", RlsRequest.ask("user", "?"));
        message[message.length - 1] = (byte) 0xFF;
        assertThatThrownBy(() -> server.grpc().call(message))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode())
                                .isIn(Status.Code.INVALID_ARGUMENT, Status.Code.INTERNAL));
    }

    @Test
    void bytesThatAreNoMessageAreRefusedAndTheConnectionLives() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[1 + random.nextInt(64)];
            random.nextBytes(noise);
            try {
                server.grpc().call(noise);
            } catch (StatusRuntimeException e) {
                assertThat(e.getStatus().getCode())
                        .isIn(Status.Code.INVALID_ARGUMENT, Status.Code.INTERNAL, Status.Code.RESOURCE_EXHAUSTED);
            }
        }
        assertThat(server.grpc().ask("envoy", RlsRequest.ask("user", "after the noise")))
                .isInstanceOf(RlsReply.Answer.class);
    }

    @Test
    void tenThousandDescriptorsAreRefusedByACapThatTheErrorNames() throws Exception {
        RlsRequest ask = RlsRequest.askNothing();
        for (int i = 0; i < 10_000; i++) {
            ask.and("user", "many");
        }
        RlsReply overGrpc = server.grpc().ask("envoy", ask);
        RlsReply overJson = new OverJson(server.running()).ask("envoy", ask);

        assertThat(overGrpc)
                .isInstanceOfSatisfying(
                        RlsReply.Refusal.class,
                        refusal -> assertThat(refusal.message())
                                .contains("descriptors")
                                .containsPattern("1,?000"));
        assertThat(overJson)
                .isInstanceOfSatisfying(
                        RlsReply.Refusal.class,
                        refusal -> assertThat(refusal.message())
                                .contains("descriptors")
                                .containsPattern("1,?000"));
        assertThat(server.grpc().ask("envoy", RlsRequest.ask("user", "many").ownHits(0)))
                .isInstanceOfSatisfying(
                        RlsReply.Answer.class,
                        answer ->
                                assertThat(answer.statuses().get(0).remaining()).isEqualTo(5));
    }

    @Test
    void aMessageOfFourMebibytesIsRefusedByACapThatTheErrorNames() throws Exception {
        byte[] message = RlsWire.write("envoy", RlsRequest.ask("user", "x".repeat(4 << 20)));
        assertThatThrownBy(() -> server.grpc().call(message))
                .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                    assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                    assertThat(e.getStatus().getDescription()).contains(String.valueOf(2 << 20));
                });
        HttpResponse<String> response =
                server.http().post("/v1/ratelimit/check", "{\"user_id\": \"" + "x".repeat(4 << 20) + "\"}");
        isProblem(response, 413);
        assertThat(response.body()).contains(String.valueOf(2 << 20));
        assertThat(server.grpc().ask("envoy", RlsRequest.ask("user", "after the flood")))
                .isInstanceOf(RlsReply.Answer.class);
    }

    @Test
    void aCallersLimitWithoutAUnitIsRefused() throws Exception {
        assertThat(server.grpc().ask("envoy", RlsRequest.ask("user", "unit").limitedTo(5, ProtocolUnit.UNKNOWN)))
                .isInstanceOfSatisfying(
                        RlsReply.Refusal.class,
                        refusal -> assertThat(refusal.message()).contains("unit"));
    }

    @Test
    void noValueCollidesWithAnother() throws Exception {
        String[][] pairs = {
            {"a", "b:c"},
            {"a:b", "c"},
            {"a\u0000b", "c"},
            {"a", "b\u0000c"},
            {"a{b}", "c"},
            {"a", "{b}c"},
            {"a ", "b"},
            {"a", " b"},
            {"a\r\nb", "c"},
            {"a", "\r\nb"},
            {"\u202Ea", "b"},
            {"\uD83E\uDD86", "b"},
            {"a|b", "c"},
            {"a", "b|c"},
            {"a,b", "c"},
            {"x".repeat(10_000), "y"}
        };
        for (String[] pair : pairs) {
            HttpResponse<String> response = server.http()
                    .check(new JsonObject()
                            .put("domain", "own")
                            .put("pair", "x")
                            .put("user_id", pair[0])
                            .put("ip", pair[1]));
            assertThat(response.statusCode()).as(pair[0] + " " + pair[1]).isEqualTo(200);
            assertThat(remaining(response)).as(pair[0] + " " + pair[1]).isEqualTo(4);
        }
    }

    @Test
    void aValueCannotReachAHeader() throws Exception {
        JsonObject evil = user("evil\r\nX-Injected: yes").put("cost", 6);
        HttpResponse<String> denied = server.http().check(evil);

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().map()).doesNotContainKey("x-injected");
        denied.headers().map().forEach((name, values) -> assertThat(values).noneMatch(v -> v.contains("evil")));
    }

    @Test
    void callersCannotMakeTimeSeries() throws Exception {
        server.http().check(user("first"));
        server.grpc().ask("envoy", RlsRequest.ask("user", "first"));
        Set<String> before = series();
        for (int i = 0; i < 100; i++) {
            server.grpc().ask("domain-" + i, RlsRequest.ask("key-" + i, "value-" + i));
            server.http().check(new JsonObject().put("domain", "other-" + i).put("attribute-" + i, "v"));
            server.http().get("/path-" + i);
        }
        assertThat(series()).isEqualTo(before);
    }

    /** All but the JVM's own, which come with its first pause of a kind. */
    private static Set<String> series() throws Exception {
        return server.http()
                .get("/metrics")
                .body()
                .lines()
                .filter(line -> !line.startsWith("#") && !line.startsWith("jvm_"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .collect(Collectors.toSet());
    }

    @Test
    void aFloodOfKeysIsBoundedAndForgetsNoneWhoIsOver() throws Exception {
        assertThat(server.http().check(user("heavy").put("cost", 5)).statusCode())
                .isEqualTo(200);
        assertThat(server.http().check(user("heavy")).statusCode()).isEqualTo(429);
        for (int i = 0; i < 4 * MAX_KEYS / 100; i++) {
            RlsRequest flood = RlsRequest.askNothing();
            for (int j = 0; j < 100; j++) {
                flood.and("user", "flood-" + i + "-" + j);
            }
            assertThat(server.grpc().ask("envoy", flood)).isInstanceOf(RlsReply.Answer.class);
        }

        assertThat(server.http().check(user("heavy")).statusCode()).isEqualTo(429);
        String metrics = server.http().get("/metrics").body();
        assertThat(metric(metrics, "ratelimit_keys ")).isLessThanOrEqualTo(2 * MAX_KEYS);
        assertThat(metric(metrics, "ratelimit_evictions_total ")).isPositive();
    }

    private static double metric(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anIdempotencyKeyChargesOnceAndOnlyForTheSameBody() throws Exception {
        String body = user("once").encode();
        HttpResponse<String> first = server.http().post("/v1/ratelimit/check", body, "X-Idempotency-Key", "k-1");
        HttpResponse<String> again = server.http().post("/v1/ratelimit/check", body, "X-Idempotency-Key", "k-1");

        assertThat(remaining(first)).isEqualTo(4);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(remaining(server.http().check(user("once").put("cost", 0)))).isEqualTo(4);
        isProblem(
                server.http()
                        .post("/v1/ratelimit/check", user("once").put("cost", 2).encode(), "X-Idempotency-Key", "k-1"),
                422);
        isProblem(server.http().post("/v1/ratelimit/check", body, "X-Idempotency-Key", "k".repeat(10_000)), 400);
        assertThat(remaining(server.http().check(user("once").put("cost", 0)))).isEqualTo(4);
    }
}
