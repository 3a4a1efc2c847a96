package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Permits over HTTP, with counters in memory. */
class ConcurrencyApiTest {
    private static final Duration TTL = Duration.ofSeconds(60);
    private static final String USER = "{\"user_id\": \"u\", \"endpoint\": \"/call\"}";

    private final RestKit kit = new RestKit(WrittenRules.builder()
            .weir(
                    "api",
                    List.of(
                            RestKit.rule("two", Limit.concurrency(2, TTL), "/call", KeyBy.of("user_id")),
                            RestKit.rule(
                                    "rate", Limit.fixedWindow(5, Duration.ofHours(1)), "/call", KeyBy.of("user_id")),
                            RestKit.rule("other", Limit.concurrency(1, TTL), "/other", KeyBy.of("user_id")),
                            new WeirRule(
                                    Rule.builder("api", "watched")
                                            .label("watched")
                                            .limit(Limit.concurrency(1, TTL))
                                            .shadow(true)
                                            .build(),
                                    List.of(Condition.of("endpoint", "/watched")),
                                    KeyBy.of("user_id"))))
            .build());

    @AfterEach
    void close() {
        kit.close();
    }

    private HttpResponse<String> acquire(String body) {
        return kit.post("/v1/concurrency/acquire", body);
    }

    private HttpResponse<String> release(HttpResponse<String> acquired) {
        return kit.post("/v1/concurrency/release", acquired.body());
    }

    private JsonObject limit(String name) {
        JsonArray limits =
                RestKit.json(kit.get("/v1/ratelimit/status/u?endpoint=/call")).getJsonArray("limits");
        return limits.stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("name").equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void asManyAsTheLimitSaysAreInFlightAndOneThatEndsLetsTheNextPass() {
        HttpResponse<String> first = acquire(USER);
        assertThat(first.statusCode()).isEqualTo(200);
        JsonObject body = RestKit.json(first);
        assertThat(body.getBoolean("allowed")).isTrue();
        assertThat(body.getString("rule")).isEqualTo("two");
        assertThat(Instant.parse(body.getString("expires_at")))
                .isEqualTo(Instant.ofEpochSecond(RestKit.START).plus(TTL));
        assertThat(RestKit.header(first, "RateLimit-Policy"))
                .isEqualTo("\"two\";q=2;qu=\"concurrent-requests\", \"rate\";q=5;w=3600");
        assertThat(RestKit.header(first, "RateLimit")).isEqualTo("\"two\";r=1");
        assertThat(acquire(USER).statusCode()).isEqualTo(200);
        HttpResponse<String> denied = acquire(USER);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(RestKit.json(denied).getString("detail"))
                .isEqualTo("denied by two (2 at once) for user_id=u: 0 left, passes when one in flight ends");
        assertThat(RestKit.json(denied).getValue("passes_at")).isNull();
        assertThat(RestKit.header(denied, "Retry-After")).isEqualTo("1");
        assertThat(limit("two").getLong("in_flight")).isEqualTo(2);
        assertThat(limit("rate").getLong("remaining"))
                .as("a denial takes from no rate")
                .isEqualTo(3);
        assertThat(RestKit.json(release(first)).getBoolean("released")).isTrue();
        assertThat(limit("two").getLong("in_flight")).isEqualTo(1);
        assertThat(limit("rate").getLong("remaining"))
                .as("a rate keeps its hits")
                .isEqualTo(3);
        assertThat(acquire(USER).statusCode()).isEqualTo(200);
    }

    @Test
    void aRateThatDeniesTakesNoPermit() {
        for (int i = 0; i < 5; i++) {
            assertThat(release(acquire(USER)).statusCode()).isEqualTo(200);
        }
        assertThat(acquire(USER).statusCode()).isEqualTo(429);
        assertThat(limit("two").getLong("in_flight")).isZero();
    }

    @Test
    void aPermitIsReleasedOnceHoweverOftenItIsSent() {
        HttpResponse<String> one = acquire(USER);
        acquire(USER);
        assertThat(RestKit.json(release(one)).getBoolean("released")).isTrue();
        JsonObject again = RestKit.json(release(one));
        assertThat(again.getBoolean("released")).isFalse();
        assertThat(again.getString("detail")).contains("released before");
        assertThat(limit("two").getLong("in_flight")).isEqualTo(1);
    }

    @Test
    void aPermitThatIsNotRenewedExpires() {
        HttpResponse<String> one = acquire(USER);
        HttpResponse<String> two = acquire(USER);
        kit.advance(Duration.ofSeconds(40));
        HttpResponse<String> renewed = kit.post("/v1/concurrency/renew", one.body());
        assertThat(renewed.statusCode()).isEqualTo(200);
        assertThat(Instant.parse(RestKit.json(renewed).getString("expires_at")))
                .isEqualTo(Instant.ofEpochSecond(RestKit.START + 100));
        kit.advance(Duration.ofSeconds(30));
        assertThat(limit("two").getLong("in_flight")).isEqualTo(1);
        assertThat(kit.post("/v1/concurrency/renew", two.body()).statusCode()).isEqualTo(410);
        assertThat(RestKit.json(release(two)).getBoolean("released")).isFalse();
        assertThat(RestKit.json(kit.post("/v1/concurrency/release", renewed.body()))
                        .getBoolean("released"))
                .as("what renew answered releases too")
                .isTrue();
    }

    @Test
    void aCheckIsDecidedByTheOtherRulesAndSaysSo() {
        acquire(USER);
        acquire(USER);
        HttpResponse<String> checked = kit.check(USER);
        assertThat(checked.statusCode()).isEqualTo(200);
        assertThat(RestKit.json(checked).getJsonArray("unenforced")).containsExactly("two");
        assertThat(RestKit.json(checked).getString("detail")).contains("/v1/concurrency/acquire");
        assertThat(RestKit.json(checked).getString("rule")).isEqualTo("rate");
        JsonObject old = RestKit.json(kit.post("/ratelimit/check", USER));
        assertThat(old.getBoolean("allowed")).isTrue();
        assertThat(old.getJsonArray("unenforced")).containsExactly("two");
        assertThat(RestKit.json(kit.check("{\"user_id\": \"u\", \"endpoint\": \"/other\"}"))
                        .getJsonArray("unenforced"))
                .containsExactly("other");
        kit.check(USER);
        JsonObject denied = RestKit.json(kit.check(USER));
        assertThat(denied.getBoolean("allowed")).isFalse();
        assertThat(denied.getJsonArray("unenforced")).containsExactly("two");
        assertThat(limit("two").getLong("in_flight")).isEqualTo(2);
    }

    @Test
    void aRequestThatMeetsNoConcurrencyRuleHasAPermitThatStandsForNothing() {
        HttpResponse<String> acquired = acquire("{\"user_id\": \"u\", \"endpoint\": \"/free\"}");
        assertThat(acquired.statusCode()).isEqualTo(200);
        assertThat(RestKit.json(acquired).getValue("expires_at")).isNull();
        assertThat(RestKit.json(release(acquired)).getBoolean("released")).isTrue();
    }

    @Test
    void aRuleInShadowModeCountsAndNeverDenies() {
        String watched = "{\"user_id\": \"u\", \"endpoint\": \"/watched\"}";
        HttpResponse<String> first = acquire(watched);
        HttpResponse<String> over = acquire(watched);
        assertThat(over.statusCode()).isEqualTo(200);
        assertThat(RestKit.json(over).getValue("expires_at"))
                .as("over: nothing was taken")
                .isNull();
        assertThat(RestKit.json(release(first)).getBoolean("released")).isTrue();
        assertThat(RestKit.json(acquire(watched)).getValue("expires_at")).isNotNull();
    }

    @Test
    void anEnvoyTakesAndGivesBackWithoutPermits() {
        String hit = "{\"domain\": \"api\", \"descriptors\": [{\"entries\": [{\"key\": \"user_id\", \"value\": \"u\"},"
                + " {\"key\": \"endpoint\", \"value\": \"/call\"}]}]}";
        String back = hit.replace("]}]}", "], \"hitsAddend\": 1, \"isNegativeHits\": true}]}");
        for (int i = 0; i < 2; i++) {
            assertThat(permit(kit.post("/json", hit))).isEqualTo(1);
        }
        HttpResponse<String> denied = kit.post("/json", hit);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(permit(denied)).isZero();
        assertThat(kit.post("/json", back).statusCode()).isEqualTo(200);
        assertThat(limit("two").getLong("in_flight")).isEqualTo(1);
        assertThat(limit("rate").getLong("remaining"))
                .as("a give-back touches no rate")
                .isEqualTo(3);
        assertThat(permit(kit.post("/json", hit.replace("/call", "/free")))).isZero();
    }

    private static long permit(HttpResponse<String> answer) {
        return RestKit.json(answer)
                .getJsonObject("dynamicMetadata")
                .getJsonObject("metadata")
                .getLong("permit");
    }

    @Test
    void aForgedPermitIsRefused() {
        JsonObject acquired = RestKit.json(acquire(USER));
        String permit = acquired.getString("permit");
        String[] parts = permit.split("\\.", -1);
        String otherMac = permit.replace(
                parts[2], parts[2].replace(parts[2].charAt(0), 'f').replaceFirst("^f", "0"));
        HttpResponse<String> forged = kit.post(
                "/v1/concurrency/release",
                new JsonObject().put("permit", otherMac).encode());
        assertThat(forged.statusCode()).isEqualTo(403);
        assertThat(RestKit.json(forged).getString("detail")).contains("its signature is wrong");
        String otherKey = permit.replace(parts[1], "00000000");
        HttpResponse<String> foreign = kit.post(
                "/v1/concurrency/renew",
                new JsonObject().put("permit", otherKey).encode());
        assertThat(foreign.statusCode()).isEqualTo(403);
        assertThat(RestKit.json(foreign).getString("detail")).contains("another secret");
        assertThat(limit("two").getLong("in_flight")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "w1", "w1.2.3.4.5", "w2.a.b.1.p1.", "....."})
    void whatIsNoPermitIsABadRequest(String permit) {
        String body = new JsonObject().put("permit", permit).encode();
        HttpResponse<String> answer = kit.post("/v1/concurrency/release", body);
        assertThat(answer.statusCode()).isIn(400, 403);
        assertThat(RestKit.json(answer).getString("detail"))
                .startsWith("permit: ")
                .contains("expected: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                        | permit: missing (expected: the object that acquire answered)",
                "{\"permt\": \"a\"}        | permit: missing (expected: the object that acquire answered; did you mean"
                        + " permit?)",
                "{\"permit\": 7}           | permit: 7 (expected: a string)",
                "[]                        | body: a list (expected: an object)",
                "{\"permit\": \"a\"} x     | body:"
            })
    void badBodiesAreNamed(String body, String detail) {
        for (String path : List.of("/v1/concurrency/release", "/v1/concurrency/renew")) {
            HttpResponse<String> answer = kit.post(path, body);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(RestKit.json(answer).getString("detail")).startsWith(detail);
        }
    }

    @Test
    void anIdempotencyKeyIsRefusedBecauseEachPermitIsItsOwn() {
        HttpResponse<String> answer = kit.post("/v1/concurrency/acquire", USER, "Idempotency-Key", "k");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(limit("two").getLong("in_flight")).isZero();
    }
}
