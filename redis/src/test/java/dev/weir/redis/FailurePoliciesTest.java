package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.limiter.Limiter;
import dev.weir.match.KeyBy;
import dev.weir.match.RuleSet;
import dev.weir.match.Weir;
import dev.weir.match.WeirRule;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.OnFail;
import dev.weir.model.Request;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Redis is stopped, and every rule does what it says it does then. */
class FailurePoliciesTest {
    private static final Duration DEADLINE = Duration.ofMillis(50);
    private static final RuleSet RULES = Weir.rules(
            rule("allow", OnFail.ALLOW, 1_000_000),
            rule("deny", OnFail.DENY, 1_000_000),
            rule("local", OnFail.LOCAL, 100),
            rule("spent", OnFail.ALLOW, 1));

    private static WeirRule rule(String name, OnFail onFail, long requests) {
        return Weir.rule(
                Weir.rule(name, Limit.fixedWindow(requests, Duration.ofDays(30)))
                        .onFail(onFail)
                        .localShare(500_000)
                        .build(),
                KeyBy.of("user"),
                "what",
                name);
    }

    private static Request ask(String rule) {
        return Weir.ask("what", rule, "user", "u");
    }

    @Test
    void stoppedUnderLoadAndBackByItself() {
        try (RedisProcess redis = RedisProcess.start();
                RedisStore store = Faults.open(Faults.settings(redis.uri()).withDeadline(DEADLINE))) {
            Limiter limiter = Limiters.on(store, RULES, DEADLINE);
            for (String rule : List.of("allow", "deny", "local", "spent")) {
                await().until(() -> !Limiters.decide(limiter, ask(rule)).degraded());
            }
            // Known to be over its limit: it stays so, Redis or not, whatever the rule does on failure.
            assertThat(Limiters.decide(limiter, ask("spent")).allowed()).isFalse();

            redis.pause();
            // Until the breaker has opened everybody waits for the deadline, and nobody longer.
            Asked first = Asked.of(limiter, "allow", 300);
            first.assertDegraded();
            assertThat(first.slowest()).isLessThan(DEADLINE.plus(Load.SLACK));
            await().until(() -> store.health().stream().anyMatch(NodeHealth::open));

            Asked allow = Asked.of(limiter, "allow", 300);
            Asked deny = Asked.of(limiter, "deny", 300);
            Asked local = Asked.of(limiter, "local", 300);
            Asked spent = Asked.of(limiter, "spent", 300);
            allow.assertDegraded();
            assertThat(allow.admitted()).isEqualTo(300);
            deny.assertDegraded();
            assertThat(deny.admitted()).isZero();
            local.assertDegraded();
            assertThat(local.admitted()).as("half of the limit of 100").isEqualTo(50);
            assertThat(spent.admitted()).isZero();
            for (Asked each : List.of(allow, deny, local, spent)) {
                assertThat(each.p99()).isLessThan(Duration.ofMillis(20));
            }

            redis.resume();
            for (String rule : List.of("allow", "deny", "local")) {
                await().until(() -> {
                    Decision decision = Limiters.decide(limiter, ask(rule));
                    return decision.allowed() && !decision.degraded();
                });
            }
        }
    }

    /** What callers were told who came one each half millisecond. */
    private record Asked(List<CompletableFuture<Decision>> decisions, List<AtomicLong> nanos) {
        static Asked of(Limiter limiter, String rule, int times) {
            Asked asked = new Asked(new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < times; i++) {
                long start = System.nanoTime();
                AtomicLong took = new AtomicLong();
                asked.nanos.add(took);
                asked.decisions.add(limiter.decideAsync(ask(rule))
                        .toCompletableFuture()
                        .whenComplete((any, none) -> took.set(System.nanoTime() - start)));
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
            }
            CompletableFuture.allOf(asked.decisions.toArray(CompletableFuture<?>[]::new))
                    .orTimeout(5, TimeUnit.SECONDS)
                    .join();
            return asked;
        }

        long admitted() {
            return decisions.stream().filter(each -> each.join().allowed()).count();
        }

        void assertDegraded() {
            assertThat(decisions)
                    .allSatisfy(each -> assertThat(each.join().degraded()).isTrue());
        }

        Duration slowest() {
            return Duration.ofNanos(
                    nanos.stream().mapToLong(AtomicLong::get).max().orElseThrow());
        }

        Duration p99() {
            return Duration.ofNanos(nanos.stream()
                    .mapToLong(AtomicLong::get)
                    .sorted()
                    .skip(nanos.size() * 99L / 100)
                    .findFirst()
                    .orElseThrow());
        }
    }
}
