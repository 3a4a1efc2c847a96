package dev.weir.internal.limiter;

import static dev.weir.internal.limiter.LocalLimiterHarness.MINUTE;
import static dev.weir.internal.ruleset.EnvoyTrees.ask;
import static dev.weir.internal.ruleset.EnvoyTrees.limited;
import static dev.weir.internal.ruleset.EnvoyTrees.open;
import static dev.weir.internal.ruleset.EnvoyTrees.rule;
import static dev.weir.internal.ruleset.EnvoyTrees.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EnvoyDecisionTest {
    private static final Limit TWO = Limit.fixedWindow(2, Duration.ofMinutes(1));
    private static final Limit FIVE = Limit.fixedWindow(5, Duration.ofMinutes(1));

    private static Rule two(String name) {
        return rule(name, TWO).build();
    }

    @Test
    void countsInWindowsAlignedToTheEpoch() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("k", two("k"))));
        assertThat(d.ask(ask("k=1"))).isEqualTo("yes [k WITHIN_LIMIT 1]");
        assertThat(d.ask(ask("k=1"))).isEqualTo("yes [k WITHIN_LIMIT 0]");
        MutableDecision denied = d.decide(ask("k=1"));
        assertThat(LocalLimiterHarness.text(denied)).isEqualTo("no [k OVER_LIMIT 0]");
        assertThat(denied.verdict(0).resetMicros()).isEqualTo(50 * LocalLimiterHarness.SECOND);
        assertThat(denied.verdict(0).limit()).isEqualTo(TWO);
        assertThat(d.ask(ask("k=2"))).isEqualTo("yes [k WITHIN_LIMIT 1]");
        d.now += 50 * LocalLimiterHarness.SECOND;
        assertThat(d.ask(ask("k=1"))).isEqualTo("yes [k WITHIN_LIMIT 1]");
    }

    @Test
    void unknownDomainsAndDescriptorsWithoutALimitPass() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("k", two("k")), open("w=1")));
        assertThat(d.ask(Request.to("other").with("k", "1"))).isEqualTo("yes []");
        assertThat(d.ask(ask("w=1", "", "z=1"))).isEqualTo("yes []");
        assertThat(d.decide(ask("w=1")).binding()).isNull();
        assertThat(d.decided).isEqualTo(3);
    }

    @Test
    void deniedHitsCountAndDescriptorsCountIndependently() {
        LocalLimiterHarness d = new LocalLimiterHarness(
                rules(limited("a", two("a")), limited("b", rule("b", FIVE).build())));
        assertThat(d.ask(ask("a=1", "b=1").hits(3))).isEqualTo("no [a NEVER 0, b WITHIN_LIMIT 2]");
        assertThat(d.ask(ask("b=1")))
                .as("counted though the request was denied")
                .isEqualTo("yes [b WITHIN_LIMIT 1]");
        assertThat(d.ask(ask("a=1"))).as("denied hits counted too").isEqualTo("no [a OVER_LIMIT 0]");
    }

    @Test
    void withChargeDeniedOffADeniedRequestChargesNothing() {
        WrittenRules rules =
                rules(limited("a", two("a")), limited("b", rule("b", FIVE).build()));
        LocalLimiterHarness d = new LocalLimiterHarness(rules, new LimiterSettings(false, false, false));
        assertThat(d.ask(ask("a=1", "b=1").hits(3))).startsWith("no ");
        assertThat(d.ask(ask("b=1", "a=1"))).isEqualTo("yes [b WITHIN_LIMIT 4, a WITHIN_LIMIT 1]");
    }

    @Test
    void extraAlgorithmsTakeNothingWhenTheRequestIsDenied() {
        Rule bucket = Rule.builder("d", "bucket")
                .limit(Limit.of(Algorithm.TOKEN_BUCKET, 5, Duration.ofMinutes(1)))
                .build();
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("a", two("a")), limited("b", bucket)));
        assertThat(d.ask(ask("b=1", "a=1").hits(3))).startsWith("no ");
        assertThat(d.ask(ask("b=1").hits(0))).isEqualTo("yes [bucket WITHIN_LIMIT 5]");
    }

    @Test
    void theSameDescriptorTwiceCountsTwice() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("k", two("k"))));
        assertThat(d.ask(ask("k=1", "k=1"))).isEqualTo("yes [k WITHIN_LIMIT 1, k WITHIN_LIMIT 0]");
        assertThat(d.ask(ask("k=1"))).startsWith("no ");
    }

    @Test
    void hitsOfADescriptorStandInPlaceOfTheRequests() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(limited("k", rule("k", FIVE).build())));
        Request request =
                ask("k=1").descriptorHits(3).descriptor().with("k", "2").hits(2);
        assertThat(d.ask(request)).isEqualTo("yes [k WITHIN_LIMIT 2, k WITHIN_LIMIT 3]");
    }

    @Test
    void zeroHitsAskAndNegativeHitsGiveBack() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("k", two("k")), limited("z", zero())));
        d.ask(ask("k=1").hits(2));
        assertThat(d.ask(ask("k=1").hits(0))).isEqualTo("yes [k WITHIN_LIMIT 0]");
        assertThat(d.ask(ask("k=1").hits(-1))).isEqualTo("yes [k WITHIN_LIMIT 1]");
        assertThat(d.ask(ask("k=1").hits(-99))).isEqualTo("yes [k WITHIN_LIMIT 2]");
        assertThat(d.ask(ask("z=1").hits(0))).startsWith("yes ");
        assertThat(d.ask(ask("z=1"))).isEqualTo("no [z NEVER 0]");
    }

    private static Rule zero() {
        return rule("z", Limit.fixedWindow(0, Duration.ofMinutes(1))).build();
    }

    @Test
    void hitsThatCanNeverFitAreOverAndTheCounterStaysUsable() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("k", two("k"))));
        assertThat(d.ask(ask("k=1").hits(Long.MAX_VALUE))).isEqualTo("no [k NEVER 0]");
        assertThat(d.ask(ask("k=1").hits(Long.MAX_VALUE))).isEqualTo("no [k NEVER 0]");
        assertThat(d.ask(ask("k=1"))).isEqualTo("no [k OVER_LIMIT 0]");
        d.now += MINUTE;
        assertThat(d.ask(ask("k=1"))).isEqualTo("yes [k WITHIN_LIMIT 1]");
    }

    @Test
    void unlimitedIsTheLargestNumberAndNoLimit() {
        LocalLimiterHarness d = new LocalLimiterHarness(
                rules(limited("k", Rule.builder("d", "free").build())));
        MutableDecision decision = d.decide(ask("k=1").hits(1_000));
        assertThat(LocalLimiterHarness.text(decision)).isEqualTo("yes [free UNLIMITED 4294967295]");
        assertThat(decision.verdict(0).limit()).isNull();
        assertThat(d.store.size()).isZero();
    }

    @Test
    void shadowCountsAndNeverDenies() {
        LocalLimiterHarness d = new LocalLimiterHarness(
                rules(limited("k", rule("k", TWO).shadow(true).build())));
        assertThat(d.ask(ask("k=1").hits(3))).isEqualTo("yes [k NEVER 0]");
        MutableDecision over = d.decide(ask("k=1"));
        assertThat(over.verdict(0).shadowed()).isTrue();
        assertThat(LocalLimiterHarness.text(over)).as("the three were counted").isEqualTo("yes [k OVER_LIMIT 0]");
    }

    @Test
    void quotasDenyOnlyTogether() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(
                limited("a", rule("a", TWO).quota(true).build()),
                limited("b", rule("b", FIVE).quota(true).build()),
                limited("c", two("c"))));
        assertThat(d.ask(ask("a=1", "b=1").hits(3))).isEqualTo("yes [a NEVER 0, b WITHIN_LIMIT 2]");
        assertThat(d.ask(ask("a=1", "b=1").hits(3))).isEqualTo("no [a NEVER 0, b OVER_LIMIT 0]");
        assertThat(d.ask(ask("a=1", "b=2", "c=1").hits(3)))
                .as("an ordinary one is over")
                .startsWith("no ");
        assertThat(d.ask(ask("a=1"))).as("all of one").startsWith("no ");
        assertThat(d.ask(ask("a=1", "none=1"))).as("no limit is no quota").startsWith("no ");
    }

    @Test
    void underQuotaModeADescriptorWithoutALimitIsAQuotaThatPassed() {
        WrittenRules rules = rules(
                limited("a", two("a")),
                limited("free", Rule.builder("d", "free").build()));
        LocalLimiterHarness d = new LocalLimiterHarness(rules, new LimiterSettings(false, true, true));
        assertThat(d.ask(ask("a=1").hits(3))).startsWith("no ");
        assertThat(d.ask(ask("a=1", "none=1"))).startsWith("yes ");
        assertThat(d.ask(ask("none=1", "a=1"))).startsWith("yes ");
        assertThat(d.ask(ask("a=1", "", "a=1"))).startsWith("yes ");
        assertThat(d.ask(ask("a=1", "free=1")))
                .as("what is unlimited is no quota")
                .startsWith("no ");
        assertThat(d.ask(ask("a=1", "a=1"))).startsWith("no ");
    }

    @Test
    void aQuotaInShadowModeHasPassed() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(
                limited("a", rule("a", TWO).quota(true).build()),
                limited("b", rule("b", TWO).quota(true).shadow(true).build())));
        assertThat(d.ask(ask("a=1", "b=1").hits(3))).startsWith("yes ");
    }

    @Test
    void shadowModeChangesOnlyTheOverallCode() {
        LocalLimiterHarness d =
                new LocalLimiterHarness(rules(limited("k", two("k"))), new LimiterSettings(true, false, true));
        assertThat(d.ask(ask("k=1").hits(3))).isEqualTo("yes [k NEVER 0]");
    }

    @Test
    void replacedRulesAreNotCounted() {
        Rule special = rule("special", FIVE).replaces(List.of("general")).build();
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("a", special), limited("b", two("general"))));
        assertThat(d.ask(ask("b=1", "a=1").hits(3))).isEqualTo("yes [special WITHIN_LIMIT 2]");
        assertThat(d.ask(ask("b=1"))).isEqualTo("yes [general WITHIN_LIMIT 1]");
    }

    @Test
    void theCallersLimitKeepsItsCountWhenItsNumberChanges() {
        LocalLimiterHarness d = new LocalLimiterHarness(
                rules(limited("k", rule("k", FIVE).shadow(true).build())));
        assertThat(d.ask(ask("k=1").hits(3).override(TWO))).isEqualTo("no [caller NEVER 0]");
        assertThat(d.ask(ask("k=1").override(FIVE))).isEqualTo("yes [caller WITHIN_LIMIT 1]");
        assertThat(d.ask(ask("k=1").override(Limit.fixedWindow(5, Duration.ofHours(1)))))
                .isEqualTo("yes [caller WITHIN_LIMIT 4]");
        assertThat(Objects.requireNonNull(d.decide(ask("k=1").override(FIVE)).binding())
                        .rule())
                .isNull();
    }

    @Test
    void aRuleSetIsSwappedWholeAndKeepsTheCounts() {
        LocalLimiterHarness d = new LocalLimiterHarness(rules(limited("k", two("k"))));
        d.ask(ask("k=1").hits(2));
        d.limiter.rules(rules(open("x"), limited("k", rule("renamed", FIVE).build())));
        assertThat(d.ask(ask("k=1"))).isEqualTo("yes [renamed WITHIN_LIMIT 2]");
        d.limiter.rules(rules(limited("k", two("k"))));
        assertThat(d.ask(ask("k=1"))).startsWith("no ");
        d.limiter.rules(WrittenRules.empty());
        assertThat(d.ask(ask("k=1"))).isEqualTo("yes []");
    }

    @Test
    void theVerdictWithTheLeastShareLeftIsBinding() {
        LocalLimiterHarness d = new LocalLimiterHarness(
                rules(limited("a", two("a")), limited("b", rule("b", FIVE).build())));
        MutableDecision decision = d.decide(ask("b=1", "none=1", "a=1"));
        assertThat(decision.binding()).as("1 of 2 is less than 4 of 5").isSameAs(decision.verdict(1));
    }
}
