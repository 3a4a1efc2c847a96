package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.START;
import static dev.weir.server.rest.RestKit.header;
import static dev.weir.server.rest.RestKit.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.server.health.Health;
import dev.weir.server.rls.RlsSettings;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestCheckTest {
    private static final String CHARGE = "{\"user_id\":\"u_42\",\"endpoint\":\"/v1/charges\",\"cost\":1}";

    private final RestKit kit = new RestKit(RestKit.weirRules());

    @AfterEach
    void close() {
        kit.close();
    }

    @Test
    void anAdmittedCheckTellsTheBindingLimitInBodyAndHeaders() {
        HttpResponse<String> response = kit.check(CHARGE);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Content-Type")).isEqualTo("application/json");
        assertThat(json(response))
                .isEqualTo(new JsonObject()
                        .put("allowed", true)
                        .put("remaining", 1)
                        .put("limit", 2)
                        .put("reset_at", START + 60)
                        .put("rule", "minute"));
        assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"minute\";q=2;w=60, \"hour\";q=10;w=3600");
        assertThat(header(response, "RateLimit")).isEqualTo("\"minute\";r=1;t=60");
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("2");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("1");
        assertThat(header(response, "X-RateLimit-Reset")).isEqualTo(String.valueOf(START + 60));
        assertThat(header(response, "X-RateLimit-Bucket")).isNotEmpty();
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void aDenialIsAProblemThatNamesItsRuleItsCounterAndTheMomentItPasses() {
        kit.check(CHARGE);
        kit.check(CHARGE);
        kit.advance(Duration.ofMillis(500));
        HttpResponse<String> response = kit.check(CHARGE);
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(header(response, "Retry-After")).isEqualTo("60");
        assertThat(header(response, "RateLimit")).isEqualTo("\"minute\";r=0;t=60");
        JsonObject problem = json(response);
        assertThat(problem.getString("type"))
                .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
        assertThat(problem.getInteger("status")).isEqualTo(429);
        assertThat(problem.getBoolean("allowed")).isFalse();
        assertThat(problem.getInteger("remaining")).isZero();
        assertThat(problem.getInteger("limit")).isEqualTo(2);
        assertThat(problem.getInteger("retry_after")).isEqualTo(60);
        assertThat(problem.getLong("reset_at")).isEqualTo(START + 60);
        assertThat(problem.getString("rule")).isEqualTo("minute");
        assertThat(problem.getString("counter")).contains("user_id").contains("u_42");
        assertThat(problem.getString("passes_at")).isEqualTo("2027-01-01T00:01:00Z");
        assertThat(problem.getString("detail"))
                .startsWith("denied by minute (2 per 1m, ")
                .endsWith(" for user_id=u_42: 0 left, passes again in 1m");
        assertThat(problem.getJsonArray("violated-policies").encode()).isEqualTo("[\"minute\"]");
    }

    @Test
    void aRequestOnCreditTellsTheDebtApart() {
        String lent = "{\"user_id\":\"u\",\"endpoint\":\"/lent\"}";
        HttpResponse<String> within = kit.check(lent);
        assertThat(within.headers().firstValue("X-RateLimit-Debt")).isEmpty();
        assertThat(json(within).containsKey("debt")).isFalse();
        kit.check(lent);
        HttpResponse<String> onCredit = kit.check(lent);
        assertThat(onCredit.statusCode()).isEqualTo(200);
        assertThat(header(onCredit, "X-RateLimit-Limit")).isEqualTo("1");
        assertThat(header(onCredit, "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(header(onCredit, "X-RateLimit-Debt")).isEqualTo("2");
        assertThat(json(onCredit).getInteger("debt")).isEqualTo(2);
        HttpResponse<String> denied = kit.check(lent);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(header(denied, "X-RateLimit-Debt")).isEqualTo("2");
        assertThat(header(denied, "Retry-After")).isEqualTo("10");
        assertThat(json(denied).getInteger("debt")).isEqualTo(2);
        assertThat(json(denied).getString("detail"))
                .isEqualTo("denied by lent (1 per 10s, credit 2, token_bucket) for user_id=u: 0 left, 2 in debt,"
                        + " passes again in 10s");
        kit.advance(Duration.ofSeconds(10));
        assertThat(kit.check(lent).statusCode()).isEqualTo(200);
    }

    @Test
    void aCeilingThatTheCallerCannotHelpIs503WithAProblemTypeOfItsOwn() {
        kit.check("{\"user_id\":\"u\",\"endpoint\":\"/ceiling\"}");
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"endpoint\":\"/ceiling\"}");
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(header(response, "Retry-After")).isEqualTo("60");
        JsonObject problem = json(response);
        assertThat(problem.getString("type"))
                .isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
        assertThat(problem.getInteger("status")).isEqualTo(503);
        assertThat(problem.getInteger("retry_after")).isEqualTo(60);
        assertThat(problem.getJsonArray("violated-policies").encode()).isEqualTo("[\"ceiling\"]");
    }

    @Test
    void whatTheCallerMayNotDoIs403WithoutRetryAfter() {
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"endpoint\":\"/paid\"}");
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        JsonObject problem = json(response);
        assertThat(problem.getString("type")).isEqualTo("tag:weir.dev,2026:not-allowed");
        assertThat(problem.getInteger("status")).isEqualTo(403);
        assertThat(problem.containsKey("retry_after")).isFalse();
        assertThat(problem.getString("rule")).isEqualTo("paid");
    }

    @Test
    void whoeverWaitsAsLongAsToldPasses() {
        kit.check(CHARGE);
        kit.check(CHARGE);
        int wait = Integer.parseInt(header(kit.check(CHARGE), "Retry-After"));
        kit.advance(Duration.ofSeconds(wait));
        assertThat(kit.check(CHARGE).statusCode()).isEqualTo(200);
    }

    @Test
    void aWaitOfLessThanASecondIsToldAsOne() {
        for (int i = 0; i < 10; i++) {
            kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\"}");
        }
        kit.advance(Duration.ofMillis(600));
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\"}");
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(header(response, "Retry-After")).isEqualTo("1");
        assertThat(json(response).getString("passes_at")).isEqualTo("2027-01-01T00:00:01Z");
    }

    @Test
    void jitterIsAddedToRetryAfterAndNeverTakenAway() {
        try (RestKit jittery =
                new RestKit(RestKit.weirRules(), RestKit.settings(Duration.ofSeconds(5)), RlsSettings.defaults())) {
            jittery.check(CHARGE);
            jittery.check(CHARGE);
            for (int i = 0; i < 50; i++) {
                HttpResponse<String> response = jittery.check(CHARGE);
                assertThat(Integer.parseInt(header(response, "Retry-After"))).isBetween(60, 65);
            }
        }
    }

    @Test
    void revision10TellsTheSecondsToResetAndRevision11TheEffectiveWindow() {
        String body = "{\"user_id\":\"u\",\"endpoint\":\"/bucket\",\"cost\":5}";
        assertThat(header(kit.check(body), "RateLimit")).isEqualTo("\"bucket\";r=5;t=1");
        RestSettings defaults = RestSettings.defaults();
        RestSettings ten = new RestSettings(
                defaults.caps(), 10, Duration.ZERO, defaults.idempotency(), defaults.proxies(), defaults.forward());
        try (RestKit older = new RestKit(RestKit.weirRules(), ten, RlsSettings.defaults())) {
            assertThat(header(older.check(body), "RateLimit")).isEqualTo("\"bucket\";r=5;t=5");
        }
    }

    @Test
    void moreThanALimitCanEverHoldIsDeniedForGoodAndNobodyIsToldToWait() {
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\",\"cost\":11}");
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        assertThat(json(response).getString("reason")).isEqualTo("never");
        assertThat(json(response).containsKey("retry_after")).isFalse();
        assertThat(json(response).getInteger("remaining")).isEqualTo(10);
    }

    @Test
    void costsBeyond64BitsAreOverTheLimitAndTheCounterStaysUsable() {
        for (String cost : List.of("4294967295", "9007199254740992", "9223372036854775807", "18446744073709551615")) {
            HttpResponse<String> response =
                    kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\",\"cost\":" + cost + "}");
            assertThat(response.statusCode()).as(cost).isEqualTo(429);
        }
        assertThat(kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\"}").statusCode())
                .isEqualTo(200);
    }

    @Test
    void cost0AsksWithoutTaking() {
        for (int i = 0; i < 5; i++) {
            assertThat(json(kit.check("{\"user_id\":\"u\",\"endpoint\":\"/v1/x\",\"cost\":0}"))
                            .getInteger("remaining"))
                    .isEqualTo(2);
        }
    }

    @Test
    void aShaperPassesAtOnceAndSaysHowLongToWaitWhicheverRuleBinds() {
        String body = "{\"user_id\":\"u\",\"endpoint\":\"/shaped\"}";
        assertThat(json(kit.check(body)).containsKey("delay_ms")).isFalse();
        HttpResponse<String> second = kit.check(body);
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(json(second).getString("rule")).isEqualTo("few");
        assertThat(json(second).getInteger("delay_ms")).isEqualTo(1000);
    }

    @Test
    void aRuleThatDeniesRequestsWithoutItsKeySaysSo() {
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"endpoint\":\"/login\"}");
        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(json(response).getString("reason")).isEqualTo("missing_key");
        assertThat(json(response).getString("rule")).isEqualTo("login");
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void aRuleThatOnlyWatchesIsNotShownToCallers() {
        String body = "{\"user_id\":\"u\",\"endpoint\":\"/watched\"}";
        kit.check(body);
        HttpResponse<String> over = kit.check(body);
        assertThat(over.statusCode()).isEqualTo(200);
        assertThat(json(over)).isEqualTo(new JsonObject().put("allowed", true));
        assertThat(over.headers().map().keySet()).noneMatch(name -> name.contains("ratelimit"));
    }

    @Test
    void whatNoRuleLimitsPassesWithoutNumbers() {
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"endpoint\":\"/free\"}");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(json(response)).isEqualTo(new JsonObject().put("allowed", true));
    }

    @Test
    void aNameCannotBreakOutOfAHeaderAndAParserOfStructuredFieldsReadsIt() {
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"endpoint\":\"/odd\"}");
        assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
        ListElement<?> policy =
                Parser.parseList(header(response, "RateLimit-Policy")).get().get(0);
        assertThat(policy.get()).isEqualTo("caf%C3%A9 \"x\"\\%0D%0ASet-Cookie: a=b");
        assertThat(policy.getParams().serialize()).isEqualTo(";q=7;w=2");
        ListElement<?> limit =
                Parser.parseList(header(response, "RateLimit")).get().get(0);
        assertThat(limit.get()).isEqualTo(policy.get());
        assertThat(limit.getParams().serialize()).isEqualTo(";r=6;t=1");
        assertThat(json(response).getString("rule")).isEqualTo("caf\u00e9 \"x\"\\\r\nSet-Cookie: a=b");
    }

    @Test
    void twoCallersHaveTwoBucketsAndOneCallerHasOne() {
        String own = header(kit.check(CHARGE), "X-RateLimit-Bucket");
        assertThat(header(kit.check(CHARGE), "X-RateLimit-Bucket")).isEqualTo(own);
        assertThat(header(kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\"}"), "X-RateLimit-Bucket"))
                .isNotEqualTo(own);
    }

    @Test
    void theCheckThatAlwaysAnswers200SaysNoInTheBody() {
        String body = "{\"client_id\":\"u_42\",\"endpoint\":\"/v1/tweets\",\"method\":\"POST\"}";
        assertThat(json(kit.post("/ratelimit/check", body)))
                .isEqualTo(new JsonObject()
                        .put("allowed", true)
                        .put("remaining", 1)
                        .put("limit", 2)
                        .put("reset_at", START + 60));
        kit.post("/ratelimit/check", body);
        HttpResponse<String> denied = kit.post("/ratelimit/check", body);
        assertThat(denied.statusCode()).isEqualTo(200);
        assertThat(json(denied))
                .isEqualTo(new JsonObject()
                        .put("allowed", false)
                        .put("remaining", 0)
                        .put("limit", 2)
                        .put("reset_at", START + 60)
                        .put("retry_after", 60));
        assertThat(header(denied, "RateLimit")).isEqualTo("\"minute\";r=0;t=60");
    }

    @Test
    void statusTellsEveryLimitOfACallerAndTakesNothing() {
        kit.check(CHARGE);
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = kit.get("/v1/ratelimit/status/u_42?endpoint=%2Fv1%2Fcharges");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body())
                    .isEqualTo(
                            "{\"limits\":[{\"name\":\"minute\",\"limit\":2,\"remaining\":1,\"reset_at\":" + (START + 60)
                                    + "},{\"name\":\"hour\",\"limit\":10,\"remaining\":9,\"reset_at\":" + (START + 3600)
                                    + "}]}");
        }
        assertThat(kit.get("/v1/ratelimit/status/u_42?endpoint=%2Ffree").body()).isEqualTo("{\"limits\":[]}");
    }

    @Test
    void namesInAStatusQueryAreToldApartByTheirCase() {
        kit.check(CHARGE);
        assertThat(kit.get("/v1/ratelimit/status/u_42?endpoint=%2Fv1%2Fcharges&ENDPOINT=%2Ffree&Domain=elsewhere")
                        .body())
                .contains("\"name\":\"minute\",\"limit\":2,\"remaining\":1,");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a b", "a+b", "a;b&c=d", "%2F", "\u2603", "\0", "..%2f", "\ud83d\ude00"})
    void statusIsToldOfWhoeverWasCheckedWhateverItIsCalled(String user) {
        String encoded = URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
        assertStatusIsToldOf(user, encoded);
    }

    @Test
    void statusIsToldOfNamesAsLongAsTheyMayBe() {
        String user = "\u00e9".repeat(16 << 10);
        assertStatusIsToldOf(user, URLEncoder.encode(user, StandardCharsets.UTF_8));
    }

    private void assertStatusIsToldOf(String user, String encoded) {
        kit.check(
                new JsonObject().put("user_id", user).put("endpoint", "/bucket").encode());
        // A semicolon is part of the value, whose normal form has no parameters.
        for (String endpoint : List.of("/bucket", "/;x/bucket")) {
            HttpResponse<String> status = kit.get("/v1/ratelimit/status/" + encoded + "?endpoint=" + endpoint);
            assertThat(status.body()).contains("\"name\":\"bucket\",\"limit\":10,\"remaining\":9,");
        }
    }

    @Test
    void descriptorsMayBeGivenAsOverGrpc() {
        String body = "{\"domain\":\"api\",\"descriptors\":[{\"entries\":["
                + "{\"key\":\"user_id\",\"value\":\"d\"},{\"key\":\"endpoint\",\"value\":\"/v1/x\"}]}]}";
        assertThat(json(kit.check(body)).getInteger("remaining")).isEqualTo(1);
    }

    @Test
    void whatCurlSendsAsAFormIsReadAsJson() {
        assertThat(kit.check(CHARGE, "Content-Type", "application/x-www-form-urlencoded")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void itAnswersOverHttp2InClearText() {
        HttpResponse<String> response = kit.send(kit.request("/v1/ratelimit/check")
                .version(HttpClient.Version.HTTP_2)
                .POST(BodyPublishers.ofString(CHARGE)));
        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "RateLimit")).isEqualTo("\"minute\";r=1;t=60");
    }

    @Test
    void theDomainMustBeNamedWhereThereAreSeveral() {
        WrittenRules two = WrittenRules.builder()
                .weir("api", RestKit.weirList())
                .envoy("edge", List.of())
                .build();
        kit.limiter.rules(two);
        HttpResponse<String> response = kit.check(CHARGE);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).getString("detail"))
                .isEqualTo("domain: missing (expected: one of \"api\", \"edge\")");
        assertThat(kit.check("{\"domain\":\"api\",\"user_id\":\"u\"}").statusCode())
                .isEqualTo(200);
    }

    @Test
    void healthIs200WhileServingAnd500Otherwise() {
        assertThat(kit.get("/healthcheck").statusCode()).isEqualTo(500);
        kit.health.set(Health.State.SERVING);
        assertThat(kit.get("/healthcheck").statusCode()).isEqualTo(200);
        assertThat(kit.get("/healthcheck").body()).isEqualTo("OK");
    }
}
