package dev.weir.limiter;

import static dev.weir.match.Weir.ask;
import static dev.weir.match.Weir.rule;
import static dev.weir.match.Weir.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.match.KeyBy;
import dev.weir.match.WeirRule;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.RuleBuilder;
import dev.weir.model.Verdict;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DelayTest {
    private static final RuleBuilder SLOW =
            rule("slow", Limit.leakyBucket(1, Duration.ofSeconds(1)).withBurst(100));

    private static Decision tenth(WeirRule... rules) {
        Decisions decisions = new Decisions(rules(rules));
        for (int i = 0; i < 9; i++) {
            decisions.decide(ask("user", "u"));
        }
        return decisions.decide(ask("user", "u"));
    }

    private static WeirRule global(RuleBuilder rule) {
        return rule(rule.build(), KeyBy.global());
    }

    private static String binding(Decision decision) {
        Verdict binding = Objects.requireNonNull(decision.binding());
        return Objects.requireNonNull(binding.rule()).label();
    }

    @Test
    void aShapersDelayIsToldAlsoWhereAnotherRuleBinds() {
        Decision decision = tenth(global(SLOW), global(rule("quota", Limit.fixedWindow(20, Duration.ofHours(1)))));
        assertThat(binding(decision)).isEqualTo("quota");
        assertThat(decision.delay()).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void ofTwoShapersTheSlowerOneIsWaitedFor() {
        Limit fast = Limit.leakyBucket(10, Duration.ofSeconds(1)).withBurst(20);
        Decision decision = tenth(global(SLOW), global(rule("fast", fast)));
        assertThat(binding(decision)).isEqualTo("fast");
        assertThat(decision.delay()).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void nobodyWaitsForARuleThatOnlyWatches() {
        Limit limit = Limit.leakyBucket(1, Duration.ofSeconds(1)).withBurst(100);
        Decision shadowed = tenth(global(rule("shadow", limit).shadow(true)));
        assertThat(shadowed.verdict(0).delay()).isEqualTo(Duration.ofSeconds(9));
        assertThat(shadowed.delay()).isZero();
        assertThat(tenth(global(rule("spares", limit).rollout(0))).delay()).isZero();
    }

    @Test
    void whoIsDeniedIsToldToComeAgainAndNotToWait() {
        Decision denied = tenth(global(SLOW), global(rule("quota", Limit.fixedWindow(9, Duration.ofHours(1)))));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.delay()).isZero();
    }
}
