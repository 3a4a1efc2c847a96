package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.EndpointCosts;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.WeirRules;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PricedDecisionTest {
    private static final EndpointCosts COSTS = new EndpointCosts(
            List.of(new EndpointCosts.Entry("POST *", 5), new EndpointCosts.Entry("/free", 0)), false);

    private static RuleBuilder bucket(String name) {
        return WeirRules.rule(name, Limit.tokenBucket(100, Duration.ofMinutes(1)));
    }

    private static LocalLimiterHarness of(RuleBuilder... rules) {
        return new LocalLimiterHarness(rules(List.of(rules).stream()
                .map(each -> rule(each.build(), KeyBy.of("user")))
                .toArray(dev.weir.internal.match.weir.WeirRule[]::new)));
    }

    @Test
    void costsGiveTheHitsOfARequestThatNamesNone() {
        LocalLimiterHarness d =
                of(bucket("r").costs(COSTS), bucket("twice").costs(COSTS).cost(2), bucket("plain"));
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x")))
                .isEqualTo("yes [r WITHIN_LIMIT 95, twice WITHIN_LIMIT 90, plain WITHIN_LIMIT 99]");
        assertThat(d.ask(ask("user", "u", "endpoint", "/free")))
                .isEqualTo("yes [r WITHIN_LIMIT 95, twice WITHIN_LIMIT 90, plain WITHIN_LIMIT 98]");
    }

    @Test
    void aCallerRaisesTheCostAndDoesNotLowerIt() {
        LocalLimiterHarness d = of(bucket("r").costs(COSTS));
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x").hits(1))).isEqualTo("yes [r WITHIN_LIMIT 95]");
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x").hits(0))).isEqualTo("yes [r WITHIN_LIMIT 90]");
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x").descriptorHits(20)))
                .isEqualTo("yes [r WITHIN_LIMIT 70]");
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x").hits(-10))).isEqualTo("yes [r WITHIN_LIMIT 80]");
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x").takeNothing())).isEqualTo("yes [r WITHIN_LIMIT 80]");
    }

    @Test
    void aTrustedCallerSetsTheCost() {
        LocalLimiterHarness d = of(bucket("r").costs(COSTS).trustsCost(true));
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x").hits(1))).isEqualTo("yes [r WITHIN_LIMIT 99]");
        assertThat(d.ask(ask("user", "u", "endpoint", "POST /x"))).isEqualTo("yes [r WITHIN_LIMIT 94]");
    }

    @Test
    void aRuleCountsItsOwnUnitAndOnlyThat() {
        LocalLimiterHarness d = of(bucket("calls"), bucket("tokens").unit("output_tokens"));
        assertThat(d.ask(ask("user", "u"))).isEqualTo("yes [calls WITHIN_LIMIT 99]");
        assertThat(d.ask(ask("user", "u").hits("output_tokens", 40)))
                .isEqualTo("yes [calls WITHIN_LIMIT 98, tokens WITHIN_LIMIT 60]");
        assertThat(d.ask(ask("user", "u").hits("requests", 0).hits("output_tokens", 0)))
                .isEqualTo("yes [calls WITHIN_LIMIT 98, tokens WITHIN_LIMIT 60]");
        assertThat(d.ask(ask("user", "u").hits("output_tokens", 61)))
                .isEqualTo("no [calls WITHIN_LIMIT 98, tokens OVER_LIMIT 60]");
        assertThat(d.ask(ask("user", "u").hits("input_tokens", 61))).isEqualTo("yes [calls WITHIN_LIMIT 97]");
        assertThat(d.ask(ask("user", "u").takeNothing()))
                .isEqualTo("yes [calls WITHIN_LIMIT 97, tokens WITHIN_LIMIT 60]");
    }

    @Test
    void whatIsReportedAfterTheCallIsChargedInFull() {
        LocalLimiterHarness d = of(bucket("calls"), bucket("tokens").unit("output_tokens"));
        assertThat(d.ask(ask("user", "u", "weir.unit", "output_tokens", "weir.report", "true")
                        .hits(130)))
                .isEqualTo("yes [tokens WITHIN_LIMIT 0]");
        assertThat(d.ask(ask("user", "u", "weir.unit", "output_tokens").hits(0)))
                .isEqualTo("no [tokens OVER_LIMIT 0]");
        d.now += 18 * LocalLimiterHarness.SECOND; // thirty tokens
        assertThat(d.ask(ask("user", "u", "weir.unit", "output_tokens").hits(0)))
                .isEqualTo("yes [tokens WITHIN_LIMIT 0]");
    }

    @Test
    void aDescriptorSaysWhichUnitItsHitsAreOf() {
        LocalLimiterHarness d = of(bucket("calls"), bucket("tokens").unit("output_tokens"));
        assertThat(d.ask(ask("user", "u", "weir.unit", "output_tokens").hits(30)))
                .isEqualTo("yes [tokens WITHIN_LIMIT 70]");
        assertThat(d.ask(ask("user", "u", "weir.unit", "requests"))).isEqualTo("yes [calls WITHIN_LIMIT 99]");
        assertThat(d.ask(ask("user", "u", "weir.unit", "bytes").hits(30))).isEqualTo("yes []");
    }
}
