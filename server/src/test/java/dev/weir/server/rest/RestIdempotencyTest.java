package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.header;
import static dev.weir.server.rest.RestKit.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.server.rls.RlsSettings;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestIdempotencyTest {
    private static final String BODY = "{\"user_id\":\"u\",\"endpoint\":\"/bucket\"}";

    private final RestKit kit = new RestKit(RestKit.weirRules());

    @AfterEach
    void close() {
        kit.close();
    }

    @Test
    void theSameKeyAndBodyChargeOnceAndGetTheAdmittedAnswerAgain() {
        HttpResponse<String> first = kit.check(BODY, "X-Idempotency-Key", "k1");
        kit.advance(Duration.ofMillis(300));
        HttpResponse<String> again = kit.check(BODY, "X-Idempotency-Key", "k1");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(header(again, "RateLimit")).isEqualTo(header(first, "RateLimit"));
        assertThat(header(first, "Idempotent-Replayed")).isEmpty();
        assertThat(header(again, "Idempotent-Replayed")).isEqualTo("true");
        assertThat(remaining()).isEqualTo(8);
    }

    @Test
    void aQuotedKeyIsTheBareOneAndEitherHeaderCarriesIt() {
        kit.check(BODY, "Idempotency-Key", "\"a-b\"");
        assertThat(header(kit.check(BODY, "X-Idempotency-Key", "a-b"), "Idempotent-Replayed"))
                .isEqualTo("true");
        assertThat(header(
                        kit.check(BODY, "Idempotency-Key", "a-b", "X-Idempotency-Key", "\"a-b\""),
                        "Idempotent-Replayed"))
                .isEqualTo("true");
        assertThat(kit.check(BODY, "Idempotency-Key", "a", "X-Idempotency-Key", "b")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void theSameKeyWithAnotherBodyIs422AndChargesNothing() {
        kit.check(BODY, "Idempotency-Key", "k1");
        HttpResponse<String> other =
                kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\",\"cost\":2}", "Idempotency-Key", "k1");
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(header(other, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(remaining()).isEqualTo(8);
    }

    @Test
    void whatIsRememberedCostsTheSameWhateverACallerIsCalled() {
        String name = "n".repeat(32_000);
        long before = heap();
        for (int i = 0; i < 2_000; i++) {
            String body = "{\"user_id\":\"" + name + i + "\",\"endpoint\":\"/bucket\"}";
            assertThat(kit.check(body, "Idempotency-Key", "k").statusCode()).isEqualTo(200);
        }
        // Names alone would be 64 MB.
        assertThat(heap() - before).isLessThan(16 << 20);
        String last = "{\"user_id\":\"" + name + "1999\",\"endpoint\":\"/bucket\"}";
        assertThat(header(kit.check(last, "Idempotency-Key", "k"), "Idempotent-Replayed"))
                .isEqualTo("true");
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void aDenialIsDecidedAnew() {
        kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\",\"cost\":10}");
        assertThat(kit.check(BODY, "Idempotency-Key", "k1").statusCode()).isEqualTo(429);
        kit.advance(Duration.ofSeconds(1));
        HttpResponse<String> later = kit.check(BODY, "Idempotency-Key", "k1");
        assertThat(later.statusCode()).isEqualTo(200);
        assertThat(header(later, "Idempotent-Replayed")).isEmpty();
    }

    @Test
    void aDenialInABodyOf200IsDecidedAnewToo() {
        kit.check("{\"user_id\":\"u\",\"endpoint\":\"/bucket\",\"cost\":10}");
        String body = "{\"client_id\":\"u\",\"endpoint\":\"/bucket\"}";
        assertThat(json(kit.post("/ratelimit/check", body, "Idempotency-Key", "k1"))
                        .getBoolean("allowed"))
                .isFalse();
        kit.advance(Duration.ofSeconds(1));
        assertThat(json(kit.post("/ratelimit/check", body, "Idempotency-Key", "k1"))
                        .getBoolean("allowed"))
                .isTrue();
    }

    @Test
    void keysOfTwoCallersDoNotMeet() {
        kit.check(BODY, "Idempotency-Key", "k1");
        HttpResponse<String> other = kit.check("{\"user_id\":\"v\",\"endpoint\":\"/bucket\"}", "Idempotency-Key", "k1");
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(header(other, "Idempotent-Replayed")).isEmpty();
    }

    @Test
    void aKeyBelongsToAllIdentitiesOfACallerAndToItsAddressOnlyWithoutAny() {
        String one = "{\"user_id\":\"u\",\"tenant\":\"a\",\"endpoint\":\"/bucket\",\"ip\":\"192.0.2.1\"}";
        kit.check(one, "Idempotency-Key", "k1");
        for (String other : List.of(
                one.replace("\"a\"", "\"b\""),
                one.replace("user_id", "api_key"),
                one.replace("\"u\"", "\"u,tenant=a\""),
                one.replace("{", "{\"client_id\":\"c\","))) {
            HttpResponse<String> answer = kit.check(other, "Idempotency-Key", "k1");
            assertThat(answer.statusCode()).as(other).isEqualTo(200);
            assertThat(header(answer, "Idempotent-Replayed")).as(other).isEmpty();
        }
        HttpResponse<String> moved = kit.check(one.replace("2.1", "2.2"), "Idempotency-Key", "k1");
        assertThat(moved.statusCode()).as("the same caller with another body").isEqualTo(422);
    }

    @Test
    void callersWithoutAnIdentityAreTheirAddresses() {
        String one = "{\"endpoint\":\"/login\",\"ip\":\"192.0.2.1\"}";
        assertThat(kit.check(one, "Idempotency-Key", "k1").statusCode()).isEqualTo(200);
        HttpResponse<String> other = kit.check(one.replace("2.1", "2.2"), "Idempotency-Key", "k1");
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(header(other, "Idempotent-Replayed")).isEmpty();
        assertThat(kit.check(one.replace("2.1", "2.1:80"), "Idempotency-Key", "k1")
                        .statusCode())
                .as("the same caller with another body")
                .isEqualTo(422);
    }

    @Test
    void whatRulesCountByTellsCallersApart() {
        try (RestKit accounts = new RestKit(WrittenRules.builder()
                .weir(
                        "api",
                        List.of(RestKit.rule(
                                "account", Limit.fixedWindow(10, Duration.ofHours(1)), "/x", KeyBy.of("account"))))
                .build())) {
            String one = "{\"account\":\"a\",\"endpoint\":\"/x\",\"cost\":1}";
            String two = "{\"account\":\"b\",\"endpoint\":\"/x\",\"cost\":2}";
            assertThat(accounts.check(one, "Idempotency-Key", "k").statusCode()).isEqualTo(200);
            assertThat(accounts.check(two, "Idempotency-Key", "k").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void onlyTheHeaderOfTheGatewayCountsIfOneIsSet() {
        RestSettings own = RestKit.settings(Duration.ZERO).withIdempotencyHeader("X-Gateway-Retry");
        try (RestKit gateway = new RestKit(RestKit.weirRules(), own, RlsSettings.defaults())) {
            for (int i = 9; i > 6; i--) {
                HttpResponse<String> forwarded = gateway.check(BODY, "Idempotency-Key", "k");
                assertThat(json(forwarded).getInteger("remaining")).isEqualTo(i);
            }
            gateway.check(BODY, "X-Gateway-Retry", "k");
            assertThat(header(gateway.check(BODY, "X-Gateway-Retry", "k"), "Idempotent-Replayed"))
                    .isEqualTo("true");
        }
    }

    @Test
    void anAnswerIsForgottenAfterADay() {
        kit.check(BODY, "Idempotency-Key", "k1");
        kit.advance(Duration.ofHours(24).minusSeconds(1));
        assertThat(header(kit.check(BODY, "Idempotency-Key", "k1"), "Idempotent-Replayed"))
                .isEqualTo("true");
        kit.advance(Duration.ofSeconds(1));
        assertThat(header(kit.check(BODY, "Idempotency-Key", "k1"), "Idempotent-Replayed"))
                .isEmpty();
    }

    @Test
    void requestsAtOnceWithOneKeyAreOneCharge() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                answers.add(threads.submit(() -> kit.check(BODY, "Idempotency-Key", "k1")));
            }
            for (Future<HttpResponse<String>> each : answers) {
                assertThat(each.get().statusCode()).isEqualTo(200);
            }
        } finally {
            threads.shutdown();
        }
        assertThat(remaining()).isEqualTo(8);
    }

    @Test
    void aKeyThatIsTooLongOrNoKeyIs400() {
        assertThat(kit.check(BODY, "Idempotency-Key", "k".repeat(255)).statusCode())
                .isEqualTo(200);
        for (String key :
                List.of("k".repeat(256), "k".repeat(10_000), "\"open", "\"a\" b", "a b", "\"\"", "\"\\n\"", "a\"b")) {
            HttpResponse<String> response = kit.check(BODY, "Idempotency-Key", key);
            assertThat(response.statusCode()).as(key).isEqualTo(400);
            assertThat(json(response).getString("detail")).startsWith("Idempotency-Key: ");
        }
        assertThat(remaining()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\rb",
                "a\nX-Forged: b",
                "a\r\n b",
                "a\u0000b",
                "\"a\rb\"",
                "\"a\r\n b\"",
                "\"a b\"",
                "caf\u00e9"
            })
    void aKeyThatWouldBreakAHeaderIs400AndChargesNothing(String key) {
        String answer =
                kit.raw("POST /v1/ratelimit/check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                        + BODY.length() + "\r\nIdempotency-Key: " + key + "\r\n\r\n" + BODY);
        assertThat(answer).startsWith("HTTP/1.1 400 ").doesNotContain("Forged");
        assertThat(remaining()).isEqualTo(9);
    }

    /** The rest of the bucket after one hit more. */
    private int remaining() {
        return json(kit.check(BODY)).getInteger("remaining");
    }
}
