package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.header;
import static dev.weir.server.rest.RestKit.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.EndpointCosts;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WrittenRules;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestUnitsTest {
    private final RestKit kit = new RestKit(WrittenRules.builder()
            .weir(
                    "llm",
                    List.of(
                            rule(builder("calls")
                                    .costs(new EndpointCosts(List.of(new EndpointCosts.Entry("/batch", 20)), false))),
                            rule(builder("tokens").unit("output_tokens"))))
            .build());

    private static RuleBuilder builder(String name) {
        return Rule.builder("llm", name).name(name).label(name).limit(Limit.fixedWindow(100, Duration.ofMinutes(1)));
    }

    private static WeirRule rule(RuleBuilder rule) {
        return new WeirRule(rule.build(), List.of(), KeyBy.of("user_id"));
    }

    @AfterEach
    void close() {
        kit.close();
    }

    @Test
    void eachUnitIsChargedToItsOwnRules() {
        HttpResponse<String> response = kit.check("{\"user_id\":\"u\",\"costs\":{\"output_tokens\":80}}");
        assertThat(json(response).getString("rule")).isEqualTo("tokens");
        assertThat(json(response).getInteger("remaining")).isEqualTo(20);
        assertThat(header(response, "RateLimit-Policy"))
                .isEqualTo("\"tokens\";q=100;qu=\"output_tokens\";w=60, \"calls\";q=100;w=60");
        HttpResponse<String> denied = kit.check("{\"user_id\":\"u\",\"costs\":{\"output_tokens\":21}}");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(json(denied).getString("detail")).contains("20 output_tokens left, 21 asked for");
        assertThat(json(kit.check("{\"user_id\":\"u\"}")).getString("rule")).isEqualTo("calls");
    }

    @Test
    void aMisspeltUnitIsNamedInTheAnswer() {
        String body = "{\"user_id\":\"u\",\"costs\":{\"output_token\":80}}";
        HttpResponse<String> misspelt = kit.check(body);
        assertThat(json(misspelt).getString("detail"))
                .isEqualTo("no rule counts \"output_token\" (did you mean \"output_tokens\"?)");
        assertThat(json(misspelt).getString("rule")).isEqualTo("calls");
        JsonObject reserved = json(kit.post("/v1/ratelimit/reserve", body));
        assertThat(reserved.getString("detail")).contains("did you mean \"output_tokens\"?");
        JsonObject settled = json(kit.post(
                "/v1/ratelimit/settle",
                "{\"hold\":\"" + reserved.getString("hold") + "\",\"costs\":{\"output_token\":8}}"));
        assertThat(settled.getBoolean("settled")).isTrue();
        assertThat(settled.getString("detail")).contains("did you mean \"output_tokens\"?");
        assertThat(json(kit.check("{\"user_id\":\"u\",\"costs\":{\"output_tokens\":1}}"))
                        .containsKey("detail"))
                .isFalse();
    }

    @Test
    void statusShowsEveryUnit() {
        kit.check("{\"user_id\":\"u\",\"costs\":{\"requests\":3,\"output_tokens\":80}}");
        assertThat(json(kit.get("/v1/ratelimit/status/u")).getJsonArray("limits"))
                .extracting(each -> ((JsonObject) each).getString("name")
                        + " "
                        + ((JsonObject) each).getString("unit", "requests")
                        + " "
                        + ((JsonObject) each).getInteger("remaining"))
                .containsExactly("calls requests 97", "tokens output_tokens 20");
    }

    @Test
    void anEndpointHasItsCost() {
        assertThat(json(kit.check("{\"user_id\":\"u\",\"endpoint\":\"/batch\",\"method\":\"POST\"}"))
                        .getInteger("remaining"))
                .isEqualTo(80);
        assertThat(json(kit.check("{\"user_id\":\"u\",\"endpoint\":\"POST /batch\",\"cost\":0}"))
                        .getInteger("remaining"))
                .isEqualTo(60);
        assertThat(json(kit.check("{\"user_id\":\"u\",\"endpoint\":\"POST /batch\",\"cost\":30}"))
                        .getInteger("remaining"))
                .isEqualTo(30);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"costs\":5}|costs: 5 (expected: an object) at line 1, column 10",
                "{\"costs\":{\"t\":-1}}|costs.t: -1 (expected: a whole number >= 0) at line 1, column 15",
                "{\"costs\":{\"t\":\"1\"}}|costs.t: \"1\" (expected: a whole number >= 0) at line 1, column 15",
                "{\"cost\":1,\"costs\":{\"requests\":1}}|costs.requests: requests are given twice (expected: one of"
                        + " cost, hits and costs.requests) at line 1, column 20",
            })
    void wrongCostsAreRefused(String body, String detail) {
        HttpResponse<String> response = kit.check(body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).getString("detail")).isEqualTo(detail);
    }
}
