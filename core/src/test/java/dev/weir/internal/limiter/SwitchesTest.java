package dev.weir.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.override.CallerOverrides;
import dev.weir.internal.match.override.LimitOverride;
import dev.weir.internal.match.override.OverrideLookup;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.ruleset.EnvoyTrees;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.RuleSwitches;
import dev.weir.internal.ruleset.RuleSwitches.Name;
import dev.weir.internal.ruleset.RuleSwitches.Setting;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rules as operators have switched them. */
class SwitchesTest {
    private static final Limit ONE = Limit.fixedWindow(1, Duration.ofMinutes(1));

    private final WrittenRules rules = WeirRules.rules(
            WeirRules.rule(WeirRules.rule("a", ONE).build(), KeyBy.of("user")),
            WeirRules.rule(WeirRules.rule("b", ONE).shadow(true).build(), KeyBy.of("user")));

    @Test
    void aRuleThatIsOffCountsNothingAndSaysSo() {
        LocalLimiterHarness decisions = new LocalLimiterHarness(switched(rules, "a", SwitchState.OFF));
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a UNLIMITED 4294967295, b WITHIN_LIMIT 0]");
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a UNLIMITED 4294967295, b OVER_LIMIT 0]");
        decisions.limiter.rules(rules);
        assertThat(decisions.ask(ask("u"))).startsWith("yes [a WITHIN_LIMIT 0");
        decisions.limiter.index(switched(rules, "a", SwitchState.OFF));
        assertThat(explained(decisions, 0)).isEqualTo("allowed under a: switched off");
    }

    @Test
    void aRuleInShadowCountsAndDeniesNobody() {
        LocalLimiterHarness decisions = new LocalLimiterHarness(switched(rules, "a", SwitchState.SHADOW));
        decisions.ask(ask("u"));
        MutableDecision decision = decisions.decide(ask("u"));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.verdict(0).shadowed()).isTrue();
        assertThat(explained(decisions, 0))
                .startsWith("would be denied by a (1 per 1m, fixed_window) for user=u: 0 left, passes again in ")
                .endsWith("switched to shadow");
        assertThat(explained(decisions, 1)).endsWith("the rule says shadow");
        decisions.limiter.rules(rules);
        assertThat(decisions.decide(ask("u")).allowed()).isFalse();
    }

    @Test
    void aRuleThatIsOnDeniesWhateverItsFileSays() {
        LocalLimiterHarness decisions = new LocalLimiterHarness(switched(rules, "b", SwitchState.ON));
        decisions.ask(ask("u"));
        WrittenRules again = WeirRules.rules(
                WeirRules.rule(WeirRules.rule("b", ONE).shadow(true).build(), KeyBy.of("user")));
        decisions.limiter.index(switched(again, "b", SwitchState.ON));
        assertThat(decisions.decide(ask("u")).allowed()).isFalse();
    }

    @Test
    void everythingOffIsAsIfThereWereNoRules() {
        LocalLimiterHarness decisions =
                new LocalLimiterHarness(switched(rules, new RuleSwitches(SwitchState.OFF, Map.of())));
        for (int i = 0; i < 3; i++) {
            assertThat(decisions.ask(ask("u").override(Limit.fixedWindow(0, Duration.ofSeconds(1)))))
                    .isEqualTo("yes []");
        }
        assertThat(decisions.decided).isEqualTo(3);
        decisions.limiter.rules(rules);
        assertThat(decisions.ask(ask("u"))).startsWith("yes [a WITHIN_LIMIT 0");
    }

    @Test
    void everythingInShadowIncludesRequestLimitsAndRulesThatAreOn() {
        RuleSwitches shadow =
                new RuleSwitches(SwitchState.SHADOW, Map.of(new Name("d", "b"), new Setting(SwitchState.ON)));
        LocalLimiterHarness decisions = new LocalLimiterHarness(switched(rules, shadow));
        decisions.ask(ask("u"));
        MutableDecision decision = decisions.decide(ask("u"));
        assertThat(LocalLimiterHarness.text(decision)).isEqualTo("yes [a OVER_LIMIT 0, b OVER_LIMIT 0]");
        assertThat(decision.verdict(0).shadowed()).isTrue();
        MutableDecision own = decisions.decide(ask("u").override(Limit.fixedWindow(0, Duration.ofSeconds(1))));
        assertThat(own.allowed()).isTrue();
        assertThat(own.verdict(0).shadowed()).isTrue();
        assertThat(decisions
                        .limiter
                        .explain(ask("u").override(Limit.fixedWindow(0, Duration.ofSeconds(1))), own.verdict(0))
                        .text())
                .endsWith("everything is in shadow");
    }

    @Test
    void everythingInShadowLeavesOffWhatIsOff() {
        RuleSwitches shadow =
                new RuleSwitches(SwitchState.SHADOW, Map.of(new Name("d", "a"), new Setting(SwitchState.OFF)));
        LocalLimiterHarness decisions = new LocalLimiterHarness(switched(rules, shadow));
        assertThat(decisions.ask(ask("u"))).startsWith("yes [a UNLIMITED");
    }

    @Test
    void inEnvoysFormatANameMayBeSharedAndAnIdGoesFirst() {
        Rule first = Rule.builder("d", "id-1").name("n").limit(ONE).build();
        Rule second = Rule.builder("d", "id-2").name("n").limit(ONE).build();
        WrittenRules tree = EnvoyTrees.rules(EnvoyTrees.limited("k=1", first), EnvoyTrees.limited("k=2", second));
        RuleSwitches switches = new RuleSwitches(
                SwitchState.ON,
                Map.of(
                        new Name("d", "n"), new Setting(SwitchState.OFF),
                        new Name("d", "id-2"), new Setting(SwitchState.SHADOW)));
        LocalLimiterHarness decisions = new LocalLimiterHarness(switched(tree, switches));
        decisions.ask(EnvoyTrees.ask("k=2"));
        assertThat(decisions.ask(EnvoyTrees.ask("k=1"))).isEqualTo("yes [id-1 UNLIMITED 4294967295]");
        assertThat(decisions.ask(EnvoyTrees.ask("k=2"))).isEqualTo("yes [id-2 OVER_LIMIT 0]");
    }

    @Test
    void aRuleThatIsOffOrInShadowReplacesNoOther() {
        Rule replacing = Rule.builder("d", "r")
                .name("r")
                .limit(ONE)
                .replaces(List.of("x"))
                .build();
        WrittenRules tree =
                EnvoyTrees.rules(EnvoyTrees.limited("k", replacing), EnvoyTrees.limited("l", EnvoyTrees.rule("x")));
        assertThat(EnvoyTrees.met(tree, EnvoyTrees.ask("k=1", "l=1"))).containsExactly("0:r");
        for (SwitchState state : List.of(SwitchState.OFF, SwitchState.SHADOW)) {
            assertThat(EnvoyTrees.met(switched(tree, "r", state), EnvoyTrees.ask("k=1", "l=1")))
                    .containsExactly("0:r", "1:x");
        }
    }

    @Test
    void anOverrideOfARuleThatIsOffIsNoLimitOfItsOwn() {
        CallerOverrides quota = new CallerOverrides(null, List.of(new LimitOverride("a", 0, 1_000_000, null)));
        LocalLimiterHarness decisions =
                new LocalLimiterHarness(RuleIndex.of(rules, key -> quota, one("a", SwitchState.OFF)));
        assertThat(decisions.ask(ask("u").with("api_key", "k"))).startsWith("yes [a UNLIMITED");
    }

    private static RuleIndex switched(WrittenRules rules, String name, SwitchState state) {
        return switched(rules, one(name, state));
    }

    private static RuleIndex switched(WrittenRules rules, RuleSwitches switches) {
        return RuleIndex.of(rules, OverrideLookup.NONE, switches);
    }

    private static RuleSwitches one(String name, SwitchState state) {
        return new RuleSwitches(SwitchState.ON, Map.of(new Name("d", name), new Setting(state)));
    }

    private static Request ask(String user) {
        return WeirRules.ask("user", user);
    }

    private static String explained(LocalLimiterHarness decisions, int verdict) {
        Request request = ask("u");
        MutableVerdict found = decisions.decide(request).verdict(verdict);
        return decisions.limiter.explain(request, found).text();
    }
}
