package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.header;
import static dev.weir.server.rest.RestKit.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestHoldsTest {
    private static final String RESERVE = "{\"user_id\":\"u\",\"costs\":{\"output_tokens\":100}}";

    private final RestKit kit = new RestKit(rules());
    private final RestKit other = new RestKit(rules());

    private static WrittenRules rules() {
        Rule tokens = Rule.builder("llm", "tokens")
                .name("tokens")
                .label("tokens")
                .unit("output_tokens")
                .limit(Limit.tokenBucket(1_000, Duration.ofDays(1)))
                .build();
        return WrittenRules.builder()
                .weir("llm", List.of(new WeirRule(tokens, List.of(), KeyBy.of("user_id"))))
                .build();
    }

    @AfterEach
    void close() {
        kit.close();
        other.close();
    }

    private HttpResponse<String> reserve() {
        return kit.post("/v1/ratelimit/reserve", RESERVE);
    }

    private String hold() {
        return json(reserve()).getString("hold");
    }

    private HttpResponse<String> settle(String hold, String tokens) {
        return kit.post(
                "/v1/ratelimit/settle", "{\"hold\":\"" + hold + "\",\"costs\":{\"output_tokens\":" + tokens + "}}");
    }

    private List<HttpResponse<String>> hundred() {
        return IntStream.range(0, 100).parallel().mapToObj(each -> reserve()).toList();
    }

    private static List<String> holds(List<HttpResponse<String>> answers) {
        return answers.stream()
                .filter(each -> each.statusCode() == 200)
                .map(each -> json(each).getString("hold"))
                .toList();
    }

    @Test
    void ofAHundredReservesOfATenthExactlyTenPassAndFiveMoreOnceHalfIsSettled() {
        List<String> held = holds(hundred());
        assertThat(held).hasSize(10);
        held.forEach(each ->
                assertThat(json(settle(each, "50")).getBoolean("settled")).isTrue());
        held.forEach(each -> assertThat(json(settle(each, "0")))
                .isEqualTo(new JsonObject()
                        .put("settled", false)
                        .put("detail", "it was settled before, and nothing was charged now")));
        assertThat(holds(hundred())).hasSize(5);
    }

    @Test
    void aReserveAnswersAHoldItsExpiryAndTheHeaders() {
        HttpResponse<String> response = reserve();
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(json(response).getBoolean("allowed")).isTrue();
        assertThat(json(response).getString("expires_at")).isEqualTo("2027-01-01T00:01:00Z");
        assertThat(json(response).getInteger("remaining")).isEqualTo(900);
        assertThat(header(response, "RateLimit-Policy")).contains("qu=\"output_tokens\"");
        HttpResponse<String> longer =
                kit.post("/v1/ratelimit/reserve", "{\"user_id\":\"u\",\"ttl\":600,\"costs\":{\"output_tokens\":901}}");
        assertThat(longer.statusCode()).isEqualTo(429);
        assertThat(json(longer).getString("hold")).isNull();
    }

    @Test
    void anExpiredHoldIsGoneAndStaysCharged() {
        String hold = hold();
        kit.advance(Duration.ofSeconds(60));
        HttpResponse<String> late = settle(hold, "0");
        assertThat(late.statusCode()).isEqualTo(410);
        assertThat(json(late).getString("detail")).startsWith("hold: expired (what it reserved stays charged");
    }

    @Test
    void aHoldSettledForMoreThanFitsIsADebt() {
        assertThat(json(settle(hold(), "9223372036854775808")).getBoolean("settled"))
                .isTrue();
        assertThat(reserve().statusCode()).isEqualTo(429);
    }

    @Test
    void aHoldThatIsForgedOrOfAnotherVersionOrServerIsRefused() {
        String hold = hold();
        HttpResponse<String> forged = settle(hold.substring(0, hold.length() - 4) + "AAAA", "0");
        assertThat(forged.statusCode()).isEqualTo(403);
        assertThat(json(forged).getString("detail")).startsWith("hold: its signature is wrong");
        HttpResponse<String> elsewhere = other.post("/v1/ratelimit/settle", "{\"hold\":\"" + hold + "\"}");
        assertThat(elsewhere.statusCode()).isEqualTo(403);
        assertThat(json(elsewhere).getString("detail")).startsWith("hold: signed with another secret");
        HttpResponse<String> version = settle(hold.replace(".h1.", ".h2."), "0");
        assertThat(version.statusCode()).isEqualTo(403);
        HttpResponse<String> nonsense = settle("x", "0");
        assertThat(nonsense.statusCode()).isEqualTo(400);
        assertThat(json(nonsense).getString("detail")).startsWith("hold: not a hold");
        assertThat(json(settle(hold, "100")).getBoolean("settled")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "reserve|{\"ttl\":601}|ttl: 601 (expected: seconds, 1 to 600) at line 1, column 8",
                "reserve|{\"ttl\":0}|ttl: 0 (expected: seconds, 1 to 600) at line 1, column 8",
                "reserve|{\"tll\":60}|tll: 60 (expected: a string; did you mean ttl?) at line 1, column 8",
                "reserve|{\"user_id\":7}|user_id: 7 (expected: a string) at line 1, column 12",
                "reserve|{\"costs\":{\"output_tokens\":-1}}|costs.output_tokens: -1 (expected: a whole number >= 0) at"
                        + " line 1, column 27",
                "settle|{\"hold\":\"x\",\"costs\":{\"output_tokens\":-1}}|costs.output_tokens: -1 (expected: a whole"
                        + " number >= 0) at line 1, column 38",
                "settle|{\"hold\":\"x\",\"costs\":{\"output_tokens\":1.5}}|costs.output_tokens: 1.5 (expected: a whole"
                        + " number >= 0) at line 1, column 38",
                "settle|{}|hold: missing (expected: the hold that reserve answered)",
                "settle|{\"hold\":\"x\",\"cots\":1}|unknown member \"cots\" (expected: hold, cost or costs; did"
                        + " you mean cost?) at line 1, column 13",
                "settle|{\"hld\":\"x\"}|unknown member \"hld\" (expected: hold, cost or costs; did you mean hold?) at"
                        + " line 1, column 2",
            })
    void mistakesAreNamed(String path, String body, String detail) {
        HttpResponse<String> response = kit.post("/v1/ratelimit/" + path, body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).getString("detail")).isEqualTo(detail);
    }
}
