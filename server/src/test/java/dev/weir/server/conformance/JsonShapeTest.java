package dev.weir.server.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests and answers of {@code POST /json}, to the letter. */
class JsonShapeTest {
    @RegisterExtension
    static final ServerForAll server = new ServerForAll(Map.of("rules.yaml", """
                domain: shapes
                descriptors:
                  - key: user
                    rate_limit: {name: per-user, unit: year, requests_per_unit: 2}
                  - key: closed
                    rate_limit: {unit: year, requests_per_unit: 0}
                  - key: free
                    rate_limit: {unlimited: true}
                """));

    private static HttpResponse<String> post(String body) throws Exception {
        return server.http().post("/json", body);
    }

    @Test
    void takesNamesInCamelCaseAndAsInTheProto() throws Exception {
        JsonObject camel = new JsonObject(post("""
                                {"domain": "shapes", "hitsAddend": 1, "descriptors": [
                                  {"entries": [{"key": "user", "value": "camel"}], "limit": {"requestsPerUnit": 5, "unit": "YEAR"},
                                   "hitsAddend": "2", "isNegativeHits": false}]}
                                """).body());
        JsonObject snake = new JsonObject(post("""
                                {"domain": "shapes", "hits_addend": 1, "descriptors": [
                                  {"entries": [{"key": "user", "value": "snake"}], "limit": {"requests_per_unit": 5, "unit": 6.0},
                                   "hits_addend": 2, "is_negative_hits": false}]}
                                """).body());

        assertThat(camel.getJsonArray("statuses").getJsonObject(0).getInteger("limitRemaining"))
                .isEqualTo(3);
        assertThat(snake.getJsonArray("statuses").getJsonObject(0).getInteger("limitRemaining"))
                .isEqualTo(3);
    }

    @Test
    void writesProtobufJsonWithDefaultsLeftOut() throws Exception {
        HttpResponse<String> response = post("""
                {"domain": "shapes", "descriptors": [
                  {"entries": [{"key": "user", "value": "shape"}]}, {"entries": [{"key": "free"}]}, {"entries": []}]}
                """);

        assertThat(response.statusCode()).isEqualTo(200);
        JsonObject body = new JsonObject(response.body());
        JsonObject limited = body.getJsonArray("statuses").getJsonObject(0);
        assertThat((String) limited.remove("durationUntilReset")).matches("[1-9]\\d*s");
        assertThat(body).isEqualTo(new JsonObject("""
                                {"overallCode": "OK", "statuses": [
                                  {"code": "OK", "currentLimit": {"requestsPerUnit": 2, "unit": "YEAR", "name": "per-user"}, "limitRemaining": 1},
                                  {"code": "OK", "limitRemaining": 4294967295},
                                  {"code": "OK"}]}
                                """));
    }

    @Test
    void aDenialIsA429WithTheSameBody() throws Exception {
        HttpResponse<String> response = post(
                "{\"domain\": \"shapes\", \"descriptors\": [{\"entries\": [{\"key\": \"closed\", \"value\": \"x\"}]}]}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/json");
        JsonObject body = new JsonObject(response.body());
        assertThat(body.getString("overallCode")).isEqualTo("OVER_LIMIT");
        JsonObject status = body.getJsonArray("statuses").getJsonObject(0);
        assertThat(status.getJsonObject("currentLimit")).isEqualTo(new JsonObject("{\"unit\": \"YEAR\"}"));
        assertThat(status.containsKey("limitRemaining")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "null",
                "[]",
                "\"text\"",
                "{} {}",
                "{\"domain\": \"shapes\"}",
                "{\"domain\": 7, \"descriptors\": [{}]}",
                "{\"domain\": \"shapes\", \"descriptors\": {}}",
                "{\"domain\": \"shapes\", \"descriptors\": [7]}",
                "{\"domain\": \"shapes\", \"descriptors\": [{\"entries\": [{\"key\": \"user\", \"value\": 7}]}]}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"surprise\": 1}",
                "{\"domain\": \"shapes\", \"descriptors\": [{\"surprise\": 1}]}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}]} trailing",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"hitsAddend\": -1}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"hitsAddend\": 1.5}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"hitsAddend\": 4294967296}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"hitsAddend\": \"0x10\"}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"hitsAddend\": \"NaN\"}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"hitsAddend\": \"05\"}",
                "{\"domain\": \"shapes\", \"descriptors\": [{}], \"hitsAddend\": \"\u0665\"}",
                "{\"domain\": \"shapes\", \"descriptors\": [{\"hitsAddend\": \"18446744073709551616\"}]}",
                "{\"domain\": \"shapes\", \"descriptors\": [{\"limit\": {\"requestsPerUnit\": 1, \"unit\": \"FORTNIGHT\"}}]}"
            })
    void refusesWhatProtobufJsonDoesNotAllow(String body) throws Exception {
        HttpResponse<String> response = post(body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
        assertThat(new JsonObject(response.body()).getString("detail")).isNotBlank();
    }

    @Test
    void aRefusedRequestCountsNothing() throws Exception {
        String good = "{\"entries\": [{\"key\": \"user\", \"value\": \"careful\"}]}";
        assertThat(post("{\"domain\": \"shapes\", \"descriptors\": [" + good + ", 7]}")
                        .statusCode())
                .isEqualTo(400);

        JsonObject body = new JsonObject(post("{\"domain\": \"shapes\", \"descriptors\": [" + good + "]}")
                .body());
        assertThat(body.getJsonArray("statuses").getJsonObject(0).getInteger("limitRemaining"))
                .isEqualTo(1);
    }

    @Test
    void aBodyOfAMebibyteIsOrdinary() throws Exception {
        StringBuilder body = new StringBuilder("{\"domain\": \"shapes\", \"descriptors\": [");
        for (int i = 0; i < 64; i++) {
            body.append(i == 0 ? "" : ",")
                    .append("{\"entries\": [{\"key\": \"user\", \"value\": \"")
                    .append(i)
                    .append("x".repeat(16_300))
                    .append("\"}]}");
        }
        HttpResponse<String> response = post(body.append("]}").toString());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(response.body()).getJsonArray("statuses")).hasSize(64);
    }
}
