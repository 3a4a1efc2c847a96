package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.RuleBuilder;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DelayTest {
    private static final RuleBuilder SLOW =
            rule("slow", Limit.leakyBucket(1, Duration.ofSeconds(1)).withBurst(100));

    private static MutableDecision tenth(WeirRule... rules) {
        LocalLimiterHarness decisions = new LocalLimiterHarness(rules(rules));
        for (int i = 0; i < 9; i++) {
            decisions.decide(ask("user", "u"));
        }
        return decisions.decide(ask("user", "u"));
    }

    private static WeirRule global(RuleBuilder rule) {
        return rule(rule.build(), KeyBy.global());
    }

    private static String binding(MutableDecision decision) {
        MutableVerdict binding = Objects.requireNonNull(decision.binding());
        return Objects.requireNonNull(binding.rule()).label();
    }

    @Test
    void aShapersDelayAppliesEvenIfAnotherRuleIsBinding() {
        MutableDecision decision =
                tenth(global(SLOW), global(rule("quota", Limit.fixedWindow(20, Duration.ofHours(1)))));
        assertThat(binding(decision)).isEqualTo("quota");
        assertThat(decision.delay()).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void ofTwoShapersTheLongerDelayApplies() {
        Limit fast = Limit.leakyBucket(10, Duration.ofSeconds(1)).withBurst(20);
        MutableDecision decision = tenth(global(SLOW), global(rule("fast", fast)));
        assertThat(binding(decision)).isEqualTo("fast");
        assertThat(decision.delay()).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void aShadowRuleCausesNoDelay() {
        Limit limit = Limit.leakyBucket(1, Duration.ofSeconds(1)).withBurst(100);
        MutableDecision shadowed = tenth(global(rule("shadow", limit).shadow(true)));
        assertThat(shadowed.verdict(0).delay()).isEqualTo(Duration.ofSeconds(9));
        assertThat(shadowed.delay()).isZero();
        assertThat(tenth(global(rule("spares", limit).rollout(0))).delay()).isZero();
    }

    @Test
    void aDeniedRequestGetsARetryAfterAndNoDelay() {
        MutableDecision denied = tenth(global(SLOW), global(rule("quota", Limit.fixedWindow(9, Duration.ofHours(1)))));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.delay()).isZero();
    }
}
