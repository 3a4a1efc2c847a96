package dev.weir.server.rest;

import static dev.weir.server.rest.RestKit.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The example of a language model, as docs/holds.md tells it. */
class LlmExampleTest {
    private static final Path RULES = Path.of("../examples/llm/rules.yaml");

    private static WrittenRules rules() throws IOException {
        LoadResult result = RuleLoader.parse("rules.yaml", Files.readString(RULES));
        assertThat(result.diagnostics()).isEmpty();
        return Objects.requireNonNull(result.rules());
    }

    private static Map<String, Integer> left(RestKit kit) {
        Map<String, Integer> left = new TreeMap<>();
        for (Object each : json(kit.get("/v1/ratelimit/status/anyone?domain=llm&api_key=k1"))
                .getJsonArray("limits")) {
            JsonObject limit = (JsonObject) each;
            left.put(limit.getString("name"), limit.getInteger("remaining"));
        }
        return left;
    }

    @Test
    void aCallReservesItsEstimateAndSettlesWhatItUsed() throws IOException {
        try (RestKit kit = new RestKit(rules())) {
            HttpResponse<String> reserved = kit.post(
                    "/v1/ratelimit/reserve",
                    "{\"api_key\": \"k1\", \"costs\": {\"requests\": 1, \"input_tokens\": 500, \"output_tokens\":"
                            + " 4000}, \"ttl\": 120}");
            assertThat(reserved.statusCode()).isEqualTo(200);
            assertThat(left(kit)).isEqualTo(Map.of("requests", 59, "input", 39_500, "output", 4_000));
            String hold = json(reserved).getString("hold");
            HttpResponse<String> settled = kit.post(
                    "/v1/ratelimit/settle",
                    "{\"hold\": \"" + hold
                            + "\", \"costs\": {\"requests\": 1, \"input_tokens\": 500, \"output_tokens\": 812}}");
            assertThat(json(settled)).isEqualTo(new JsonObject().put("settled", true));
            assertThat(left(kit)).isEqualTo(Map.of("requests", 59, "input", 39_500, "output", 7_188));
        }
    }
}
