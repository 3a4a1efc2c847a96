package dev.weir.rules.internal.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.OnMissing;
import dev.weir.internal.model.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

class RuleLoaderTest {

    @Test
    void theFileOfTiersAndEndpointsLoadsAsItStands() throws IOException {
        LoadResult result = RuleLoader.parse("rules.yaml", resource("tiers-and-endpoints.yaml"));

        assertThat(result.diagnostics()).isEmpty();
        assertThat(rules(result))
                .extracting(Rule::domain, Rule::label, Rule::limit, Rule::onFail)
                .containsExactly(
                        unnamed("tier=free, endpoint=POST /api/*", bucket(10, 20), OnFail.ALLOW),
                        unnamed("tier=free, endpoint=*", Limit.slidingWindow(1000, Duration.ofHours(1)), OnFail.ALLOW),
                        unnamed("tier=paid, endpoint=*", bucket(100, 200), OnFail.ALLOW));
    }

    @Test
    void theFileInEnvoysSpellingLoadsAsItStands() throws IOException {
        LoadResult result = RuleLoader.parse("rules.yaml", resource("api-platform.yaml"));

        assertThat(result.diagnostics()).isEmpty();
        assertThat(rules(result))
                .extracting(Rule::label, Rule::limit, Rule::countsDenied)
                .containsExactlyInAnyOrder(
                        tuple("api_key", perMinute(100), true),
                        tuple("api_key.endpoint_POST /api/v1/orders", perMinute(20), true),
                        tuple("remote_address", perMinute(30), true),
                        tuple("global_aggregate", Limit.fixedWindow(10_000, Duration.ofSeconds(1)), true));
    }

    @Test
    void theExampleOfTheServerLoadsWithoutAWord() {
        LoadResult result = RuleLoader.example();

        assertThat(result.diagnostics()).isEmpty();
        assertThat(rules(result)).extracting(Rule::domain).containsOnly("api");
        assertThat(rules(result))
                .filteredOn(rule -> rule.name().equals("login"))
                .extracting(Rule::onFail, Rule::onMissing)
                .containsExactly(tuple(OnFail.DENY, OnMissing.SHARE));
        assertThat(rules(result)).anyMatch(Rule::shadow).anyMatch(rule -> rule.cost() > 1);
    }

    @Test
    void sixMistakesAreSixLinesWithTheirPositions() {
        LoadResult result = RuleLoader.parse("rules.yaml", """
                domain: api
                key_by: user_id
                rules:
                  - name: a
                    match: { endpoint: "api/*" }
                    limit: { requests: -5, window: 1s }
                  - name: a
                    limit: { requests: 5, window: 0s, algorithm: token_buket }
                    on_fial: deny
                """);

        assertThat(result.isLoaded()).isFalse();
        assertThat(result.errors())
                .map(Object::toString)
                .containsExactly(
                        "rules.yaml:5:24: endpoint 'api/*' can never match (expected: /path, METHOD /path or *)",
                        "rules.yaml:6:24: requests: '-5' (expected: a whole number >= 0)",
                        "rules.yaml:7:11: name 'a' is used twice (first at 4:11)",
                        "rules.yaml:8:35: window: '0s' (expected: more than 0)",
                        "rules.yaml:8:50: unknown algorithm 'token_buket' (did you mean token_bucket?)",
                        "rules.yaml:9:5: unknown field 'on_fial' (did you mean on_fail?)");
    }

    @Test
    void theSecondUseOfANameSaysWhereTheFirstIs() {
        LoadResult result = RuleLoader.parse("rules.yaml", """
                rules:
                  - name: a
                    limit: { requests: 5, window: 1s }
                  - name: a
                    limit: { requests: 7, window: 1h }
                """);

        assertThat(result.errors())
                .map(Object::toString)
                .containsExactly("rules.yaml:4:11: name 'a' is used twice (first at 2:11)");
    }

    @Test
    void unnamedRulesThatWouldShareTheirCountersMustBeNamed() {
        LoadResult result = RuleLoader.parse("rules.yaml", """
                rules:
                  - match: { tier: free, endpoint: "/a" }
                    limit: { requests: 5, window: 1s }
                  - match: { endpoint: "/a", tier: free }
                    limit: { requests: 50, window: 1h }
                """);

        assertThat(result.errors())
                .map(Object::toString)
                .containsExactly(
                        "rules.yaml:4:5: same match, key_by and algorithm as the rule at rules.yaml:2:5 (name them)");
    }

    @Test
    void noRulesIsLegalAndLoud() {
        LoadResult result = RuleLoader.parse("rules.yaml", "rules: []\n");

        assertThat(result.isLoaded()).isTrue();
        assertThat(result.warnings())
                .map(Object::toString)
                .containsExactly("rules.yaml:1:1: warning: no rules: NOTHING is limited in domain 'default'");
    }

    @Test
    void warningsHideNoError() {
        StringBuilder text = new StringBuilder("domain: d\ndescriptors:\n");
        for (int i = 0; i < 1_001; i++) {
            text.append("  - { key: k").append(i).append("*, rate_limit: { unit: day, requests_per_unit: 1 } }\n");
        }
        assertThat(RuleLoader.parse("f", text.toString()).isLoaded()).isTrue();
        LoadResult result = RuleLoader.parse("f", text + "  - { key: a, shadow_mod: true }\n");
        assertThat(result.isLoaded()).isFalse();
        assertThat(result.errors())
                .map(Object::toString)
                .containsExactly("f:1004:15: unknown field 'shadow_mod' (did you mean shadow_mode?)");
        assertThat(result.warnings()).hasSize(1_001).last().hasToString("f: warning: and 1 more");
    }

    @Test
    void anEmptyFileIsAMistake() {
        for (String text : List.of("", "\n\n", "# nothing\n", "---\n", "null\n")) {
            LoadResult result = RuleLoader.parse("rules.yaml", text);
            assertThat(result.isLoaded()).isFalse();
            assertThat(result.errors()).hasSize(1).first().asString().contains("the file is empty");
        }
    }

    private static Tuple unnamed(String label, Limit limit, OnFail onFail) {
        return tuple("default", label, limit, onFail);
    }

    private static Limit bucket(long requests, long burst) {
        return new Limit(Algorithm.TOKEN_BUCKET, requests, 1_000_000, burst, 1);
    }

    private static Limit perMinute(long requests) {
        return Limit.fixedWindow(requests, Duration.ofMinutes(1));
    }

    private static List<Rule> rules(LoadResult result) {
        if (result.rules() == null) {
            throw new AssertionError(result.diagnostics().toString());
        }
        return result.rules().rules();
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = RuleLoaderTest.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }
}
