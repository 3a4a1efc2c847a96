package dev.weir.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.match.Condition;
import dev.weir.match.Envoy;
import dev.weir.match.KeyBy;
import dev.weir.match.RuleSet;
import dev.weir.match.Weir;
import dev.weir.match.WeirRule;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.Request;
import dev.weir.model.TimeSource;
import dev.weir.store.memory.MemoryStore;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AllocationTest {
    private static final int DECISIONS = 20_000;
    private final ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aDecisionInEnvoysSpellingAllocatesNothing() {
        RuleSet rules = Envoy.rules(
                Envoy.limited("a", Envoy.limited("b=x*")),
                Envoy.limited("c=v"),
                Envoy.limited("free", Envoy.rule("free")));
        Request request = Envoy.ask("a=1 b=xyz", "c=v", "nothing=1", "free=" + "long".repeat(50))
                .descriptor()
                .with("a", "1")
                .override(Limit.fixedWindow(7, Duration.ofHours(1)));
        assertNothingAllocated(rules, request);
    }

    @Test
    void aDecisionInWeirsSpellingAllocatesNothing() {
        List<WeirRule> all = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            all.add(Weir.rule("r" + i, KeyBy.parse("api_key | ip"), "tenant", "t" + i));
        }
        all.add(Weir.rule("path", KeyBy.of("ip"), "endpoint", "POST /api/x", "ip", "10.0.0.0/8"));
        all.add(Weir.rule("glob", KeyBy.of("user"), "endpoint", "POST /api/*"));
        all.add(new WeirRule(
                Weir.rule("costly").cost(3).build(), List.of(Condition.of("method", "POST")), KeyBy.global()));
        all.add(Weir.rule("key missing", KeyBy.of("absent")));
        Request request = Weir.ask("tenant", "t77", "ip", "::ffff:10.1.2.3", "endpoint", "POST /api/x", "user", "u");
        assertNothingAllocated(Weir.rules(all.toArray(WeirRule[]::new)), request);
    }

    private void assertNothingAllocated(RuleSet rules, Request request) {
        Limiter limiter = new Limiter(
                rules,
                new MemoryStore(10_000),
                TimeSource.system(),
                LimiterSettings.defaults(),
                new LimiterObserver() {});
        Decision decision = new Decision();
        long now = 1_800_000_000_000_000L;
        for (int i = 0; i < 5_000; i++) {
            limiter.decide(request, now += 50, decision);
        }
        assertThat(decision.size()).isGreaterThan(2);
        // Others in this JVM may have this thread allocate now and then (a deoptimisation, the bean itself): best of a
        // few.
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5 && least > 0; round++) {
            long before = thread.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < DECISIONS; i++) {
                limiter.decide(request, now += 50, decision);
            }
            least = Math.min(least, thread.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes in %d decisions", DECISIONS).isZero();
    }
}
