package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.rule;
import static dev.weir.rules.LoadedRules.rules;
import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.match.pattern.EndpointCostTable;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.model.Rule;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PricingTest {
    private static final String RULE = "rules: [ { name: a, limit: { requests: 50, window: 1s } } ]\n";

    private static long cost(Rule rule, String endpoint) {
        return new EndpointCostTable(Objects.requireNonNull(rule.costs()), EndpointForm.NORMAL).of(endpoint, null);
    }

    @Test
    void aRuleInheritsTheCostsOfItsFileUnlessItHasItsOwn() {
        List<Rule> rules = rules("""
                costs: { "POST *": 5, "/search": 10 }
                tiers: { pro: { requests: 50, window: 1s } }
                rules:
                  - { name: inherits, limit: { requests: 50, window: 1s } }
                  - { name: own, costs: { "*": 2 }, trust_cost: true, limit: { requests: 50, window: 1s } }
                  - { name: tokens, counts: output_tokens, limit: { requests: 50, window: 1s } }
                """);
        assertThat(rules).extracting(Rule::name).containsExactly("tier:pro", "inherits", "own", "tokens");
        assertThat(cost(rules.get(0), "/search")).isEqualTo(10);
        assertThat(cost(rules.get(1), "POST /x")).isEqualTo(5);
        assertThat(rules.get(1).trustsCost()).isFalse();
        assertThat(cost(rules.get(2), "POST /x")).isEqualTo(2);
        assertThat(rules.get(2).trustsCost()).isTrue();
        assertThat(rules.get(3).costs()).isNull();
        assertThat(rules.get(3).unit()).isEqualTo("output_tokens");
    }

    @Test
    void equallySpecificPatternsAreAnErrorThatNamesBoth() {
        assertThat(said("costs: { \"/a/*\": 1, \"/*/a\": 2 }\n" + RULE))
                .containsExactly("1:21: '/*/a' is as specific as '/a/*', and some requests match both"
                        + " (remove one, or make one of them longer)");
    }

    @Test
    void mistakesAreNamedWithTheirPlace() {
        assertThat(said("costs: { search: 1 }\n" + RULE))
                .containsExactly("1:10: endpoint 'search' can never match (expected: /path, METHOD /path or *)");
        assertThat(said("costs: { \"/a\": -1 }\n" + RULE))
                .containsExactly("1:16: /a: '-1' (expected: a whole number >= 0)");
        assertThat(said("costs: { \"/a\": }\n" + RULE))
                .containsExactly("1:10: /a: empty (expected: a whole number >= 0)");
        assertThat(said("costs: 5\n" + RULE)).hasSize(1).first().asString().contains("expected: a mapping");
        assertThat(said("cost: { \"/a\": 1 }\n" + RULE)).hasSize(1);
        assertThat(said("rules: [ { name: a, counts: \"out put\", limit: { requests: 5, window: 1s } } ]\n"))
                .hasSize(1)
                .first()
                .asString()
                .contains("counts: 'out put' (expected: a unit like requests or output_tokens");
        assertThat(said("rules: [ { name: a, counts: tokens, costs: { \"/a\": 2 },"
                        + " limit: { requests: 5, window: 1s } } ]\n"))
                .containsExactly("1:37: costs beside counts: tokens (costs are in requests: remove them, or remove"
                        + " counts)");
    }

    @Test
    void costsThatCanNeverPassAndATrustWithoutUseAreWarnedOf() {
        assertThat(said("rules: [ { name: a, costs: { \"/a\": 6 }, limit: { requests: 5, window: 1s } } ]\n"))
                .hasSize(1)
                .first()
                .asString()
                .contains("'/a' costs more than the limit holds (no such request can ever pass)");
        assertThat(said("rules: [ { name: a, trust_cost: true, limit: { requests: 5, window: 1s } } ]\n"))
                .hasSize(1)
                .first()
                .asString()
                .contains("trust_cost has no effect");
    }

    @Test
    void theUnitIsPartOfAnUnnamedRulesIdentity() {
        String limit = "limit: { requests: 5, window: 1s }";
        assertThat(rule("rules: [ { " + limit + " } ]").id())
                .isEqualTo(
                        rule("rules: [ { counts: requests, " + limit + " } ]").id())
                .isNotEqualTo(
                        rule("rules: [ { counts: tokens, " + limit + " } ]").id());
    }
}
