package dev.weir.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.match.Envoy;
import dev.weir.match.KeyBy;
import dev.weir.match.Quota;
import dev.weir.match.QuotaOverride;
import dev.weir.match.RuleSet;
import dev.weir.match.RuleSwitches;
import dev.weir.match.RuleSwitches.Name;
import dev.weir.match.RuleSwitches.Setting;
import dev.weir.match.Weir;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.Request;
import dev.weir.model.Rule;
import dev.weir.model.SwitchState;
import dev.weir.model.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rules as operators have switched them. */
class SwitchesTest {
    private static final Limit ONE = Limit.fixedWindow(1, Duration.ofMinutes(1));

    private final RuleSet rules = Weir.rules(
            Weir.rule(Weir.rule("a", ONE).build(), KeyBy.of("user")),
            Weir.rule(Weir.rule("b", ONE).shadow(true).build(), KeyBy.of("user")));

    @Test
    void aRuleThatIsOffCountsNothingAndSaysSo() {
        Decisions decisions = new Decisions(switched(rules, "a", SwitchState.OFF));
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a UNLIMITED 4294967295, b WITHIN_LIMIT 0]");
        assertThat(decisions.ask(ask("u"))).isEqualTo("yes [a UNLIMITED 4294967295, b OVER_LIMIT 0]");
        decisions.limiter.rules(rules);
        assertThat(decisions.ask(ask("u"))).startsWith("yes [a WITHIN_LIMIT 0");
        decisions.limiter.rules(switched(rules, "a", SwitchState.OFF));
        assertThat(explained(decisions, 0)).isEqualTo("a is switched off");
    }

    @Test
    void aRuleInShadowCountsAndDeniesNobody() {
        Decisions decisions = new Decisions(switched(rules, "a", SwitchState.SHADOW));
        decisions.ask(ask("u"));
        Decision decision = decisions.decide(ask("u"));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.verdict(0).shadowed()).isTrue();
        assertThat(explained(decisions, 0))
                .startsWith("a for user=u is used up")
                .endsWith("switched to shadow");
        assertThat(explained(decisions, 1)).endsWith("the rule says shadow");
        decisions.limiter.rules(rules);
        assertThat(decisions.decide(ask("u")).allowed()).isFalse();
    }

    @Test
    void aRuleThatIsOnDeniesWhateverItsFileSays() {
        Decisions decisions = new Decisions(switched(rules, "b", SwitchState.ON));
        decisions.ask(ask("u"));
        decisions.limiter.rules(RuleSet.builder()
                .weir("d", List.of(Weir.rule(Weir.rule("b", ONE).shadow(true).build(), KeyBy.of("user"))))
                .switches(one("b", SwitchState.ON))
                .build());
        assertThat(decisions.decide(ask("u")).allowed()).isFalse();
    }

    @Test
    void everythingOffIsAsIfThereWereNoRules() {
        RuleSet off = rules.toBuilder()
                .switches(new RuleSwitches(SwitchState.OFF, Map.of()))
                .build();
        Decisions decisions = new Decisions(off);
        for (int i = 0; i < 3; i++) {
            assertThat(decisions.ask(ask("u").override(Limit.fixedWindow(0, Duration.ofSeconds(1)))))
                    .isEqualTo("yes []");
        }
        assertThat(decisions.decided).isEqualTo(3);
        decisions.limiter.rules(rules);
        assertThat(decisions.ask(ask("u"))).startsWith("yes [a WITHIN_LIMIT 0");
    }

    @Test
    void everythingInShadowAlsoMeansLimitsOfCallersAndRulesThatAreOn() {
        RuleSwitches shadow =
                new RuleSwitches(SwitchState.SHADOW, Map.of(new Name("d", "b"), new Setting(SwitchState.ON)));
        Decisions decisions = new Decisions(rules.toBuilder().switches(shadow).build());
        decisions.ask(ask("u"));
        Decision decision = decisions.decide(ask("u"));
        assertThat(Decisions.text(decision)).isEqualTo("yes [a OVER_LIMIT 0, b OVER_LIMIT 0]");
        assertThat(decision.verdict(0).shadowed()).isTrue();
        Decision own = decisions.decide(ask("u").override(Limit.fixedWindow(0, Duration.ofSeconds(1))));
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
        Decisions decisions = new Decisions(rules.toBuilder().switches(shadow).build());
        assertThat(decisions.ask(ask("u"))).startsWith("yes [a UNLIMITED");
    }

    @Test
    void inEnvoysSpellingANameMayBeSharedAndAnIdGoesFirst() {
        Rule first = Rule.builder("d", "id-1").name("n").limit(ONE).build();
        Rule second = Rule.builder("d", "id-2").name("n").limit(ONE).build();
        RuleSet tree = Envoy.rules(Envoy.limited("k=1", first), Envoy.limited("k=2", second));
        RuleSwitches switches = new RuleSwitches(
                SwitchState.ON,
                Map.of(
                        new Name("d", "n"), new Setting(SwitchState.OFF),
                        new Name("d", "id-2"), new Setting(SwitchState.SHADOW)));
        Decisions decisions = new Decisions(tree.toBuilder().switches(switches).build());
        decisions.ask(Envoy.ask("k=2"));
        assertThat(decisions.ask(Envoy.ask("k=1"))).isEqualTo("yes [id-1 UNLIMITED 4294967295]");
        assertThat(decisions.ask(Envoy.ask("k=2"))).isEqualTo("yes [id-2 OVER_LIMIT 0]");
    }

    @Test
    void aRuleThatIsOffOrInShadowReplacesNoOther() {
        Rule replacing = Rule.builder("d", "r")
                .name("r")
                .limit(ONE)
                .replaces(List.of("x"))
                .build();
        RuleSet tree = Envoy.rules(Envoy.limited("k", replacing), Envoy.limited("l", Envoy.rule("x")));
        assertThat(Envoy.met(tree, Envoy.ask("k=1", "l=1"))).containsExactly("0:r");
        for (SwitchState state : List.of(SwitchState.OFF, SwitchState.SHADOW)) {
            assertThat(Envoy.met(switched(tree, "r", state), Envoy.ask("k=1", "l=1")))
                    .containsExactly("0:r", "1:x");
        }
    }

    @Test
    void anOverrideOfARuleThatIsOffIsNoLimitOfItsOwn() {
        Quota quota = new Quota(null, List.of(new QuotaOverride("a", 0, 1_000_000, null)));
        RuleSet off = rules.toBuilder()
                .quotas(key -> quota)
                .switches(one("a", SwitchState.OFF))
                .build();
        Decisions decisions = new Decisions(off);
        assertThat(decisions.ask(ask("u").with("api_key", "k"))).startsWith("yes [a UNLIMITED");
    }

    private static RuleSet switched(RuleSet rules, String name, SwitchState state) {
        return rules.toBuilder().switches(one(name, state)).build();
    }

    private static RuleSwitches one(String name, SwitchState state) {
        return new RuleSwitches(SwitchState.ON, Map.of(new Name("d", name), new Setting(state)));
    }

    private static Request ask(String user) {
        return Weir.ask("user", user);
    }

    private static String explained(Decisions decisions, int verdict) {
        Request request = ask("u");
        Verdict found = decisions.decide(request).verdict(verdict);
        return decisions.limiter.explain(request, found).text();
    }
}
