package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WeirTest {
    private final AtomicLong now = new AtomicLong(1_700_000_000_000_000L);

    @Test
    void decidesARequestByRulesAndNamesTheOneThatBinds() {
        Limiter limiter = Weir.builder(rules()).time(now::get).build();
        Request free = Request.to("api").asAttributes().with("user_id", "u_42").with("tier", "free");
        Request pro = Request.to("api").asAttributes().with("user_id", "u_42").with("tier", "pro");

        assertThat(limiter.decide(free).allowed()).isTrue();
        assertThat(limiter.decide(free).allowed()).isTrue();
        MutableDecision denied = limiter.decide(free);
        assertThat(denied.allowed()).isFalse();
        MutableVerdict binding = Objects.requireNonNull(denied.binding());
        assertThat(Objects.requireNonNull(binding.rule()).name()).isEqualTo("free");
        assertThat(binding.retryAfter()).isEqualTo(Duration.ofMillis(500));
        assertThat(denied)
                .hasToString("denied [denied by free (2 per 1s, token_bucket): 0 left, passes again in 500ms]");
        assertThat(limiter.decide(pro).allowed()).isTrue();

        now.addAndGet(500_000);
        assertThat(limiter.decide(free).allowed()).isTrue();
    }

    @Test
    void holdsNoMoreCountersThanItMayAndTellsItsObserver() {
        AtomicLong told = new AtomicLong();
        LimiterObserver observer = new LimiterObserver() {
            @Override
            public void decided(Request request, MutableDecision decision) {
                told.incrementAndGet();
            }
        };
        Limiter limiter = Weir.builder(rules())
                .maxKeys(1)
                .time(now::get)
                .observer(observer)
                .build();
        for (int i = 0; i < 3; i++) {
            for (String user : List.of("a", "b", "c")) { // each pushes out the one before
                Request request = Request.to("api")
                        .with("user_id", user)
                        .with("tier", "free")
                        .asAttributes();
                assertThat(limiter.decide(request).allowed())
                        .as(request.toString())
                        .isTrue();
            }
        }
        assertThat(told).hasValue(9);
        assertThat(Request.to("api")
                        .with("user_id", "u")
                        .with("tier", "free")
                        .descriptor()
                        .with("ip", "::1")
                        .hits(2))
                .hasToString("api [user_id=u, tier=free], [ip=::1] hits=2");
    }

    @Test
    void aRuleThatNamesAStoreOfItsOwnIsRefused() {
        Rule elsewhere = Rule.builder("api", "elsewhere")
                .limit(Limit.tokenBucket(2, Duration.ofSeconds(1)))
                .store("big")
                .build();
        RuleSet rules = RuleSet.builder()
                .weir("api", List.of(new WeirRule(elsewhere, List.of(), KeyBy.of("user_id"))))
                .build();
        assertThatThrownBy(() -> Weir.inMemory(rules))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("api/elsewhere: store: big (expected: none, for no store is shared)");
        Limiter limiter = Weir.inMemory(RuleSet.empty());
        assertThatThrownBy(() -> limiter.rules(rules)).isInstanceOf(IllegalArgumentException.class);
    }

    private static RuleSet rules() {
        Rule free = Rule.builder("api", "free")
                .name("free")
                .limit(Limit.tokenBucket(2, Duration.ofSeconds(1)))
                .build();
        return RuleSet.builder()
                .weir("api", List.of(new WeirRule(free, List.of(Condition.of("tier", "free")), KeyBy.of("user_id"))))
                .build();
    }
}
