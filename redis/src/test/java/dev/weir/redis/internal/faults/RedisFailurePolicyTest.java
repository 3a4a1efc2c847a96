package dev.weir.redis.internal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.redis.internal.store.FleetLimiters;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Redis does not serve, for several reasons, and every rule follows its on_fail. */
class RedisFailurePolicyTest {
    private static final Duration DEADLINE = Duration.ofMillis(50);
    private static final WrittenRules RULES = WeirRules.rules(
            rule("allow", OnFail.ALLOW, 1_000_000),
            rule("deny", OnFail.DENY, 1_000_000),
            rule("local", OnFail.LOCAL, 100),
            rule("spent", OnFail.ALLOW, 1));

    private static WeirRule rule(String name, OnFail onFail, long requests) {
        return WeirRules.rule(
                WeirRules.rule(name, Limit.fixedWindow(requests, Duration.ofDays(30)))
                        .onFail(onFail)
                        .localShare(500_000)
                        .build(),
                KeyBy.of("user"),
                "what",
                name);
    }

    private static Request ask(String rule) {
        return WeirRules.ask("what", rule, "user", "u");
    }

    /** A way in which Redis does not serve. */
    private record Fault(String name, Consumer<RedisProcess> begins, Consumer<RedisProcess> ends) {
        static Fault byCommand(String name, String begins, String ends) {
            return new Fault(name, redis -> redis.cli(begins.split(" ", -1)), redis -> redis.cli(ends.split(" ", -1)));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Fault> faults() {
        return Stream.of(
                new Fault("stopped", RedisProcess::pause, RedisProcess::resume),
                new Fault("killed", RedisProcess::kill, RedisProcess::restart),
                Fault.byCommand("out of memory", "CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"),
                Fault.byCommand("a replica", "REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
                Fault.byCommand("no permission", "ACL SETUSER default -evalsha", "ACL SETUSER default +evalsha"),
                Fault.byCommand("writes paused", "CLIENT PAUSE 60000 WRITE", "CLIENT UNPAUSE"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void failsUnderLoadAndIsBackByItself(Fault fault) {
        try (RedisProcess redis = RedisProcess.start();
                RedisSharedStore store =
                        StoreFixture.open(StoreFixture.settings(redis.uri()).withDeadline(DEADLINE))) {
            Limiter limiter = FleetLimiters.on(store, RULES, DEADLINE);
            for (String rule : List.of("allow", "deny", "local", "spent")) {
                await().until(() -> !FleetLimiters.decide(limiter, ask(rule)).degraded());
            }
            // Known to be over its limit: it stays so, Redis or not, whatever the rule does on failure.
            assertThat(FleetLimiters.decide(limiter, ask("spent")).allowed()).isFalse();

            fault.begins.accept(redis);
            // Until the breaker opens, a caller may wait for the deadline, but not longer.
            Asked first = Asked.of(limiter, "allow", 300);
            first.assertDegraded();
            assertThat(first.slowest()).isLessThan(DEADLINE.plus(SteadyLoad.SLACK));
            await().until(() -> {
                FleetLimiters.decide(limiter, ask("allow"));
                return store.health().stream().allMatch(node -> node.open() || node.down() == StoreFailure.UNREACHABLE);
            });

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
                assertThat(each.waited).as("waited, with nobody to wait for").isEmpty();
                assertThat(each.p99()).isLessThan(Duration.ofMillis(20).plus(each.longestPause()));
            }

            fault.ends.accept(redis);
            for (String rule : List.of("allow", "deny", "local")) {
                await().until(() -> {
                    MutableDecision decision = FleetLimiters.decide(limiter, ask(rule));
                    return decision.allowed() && !decision.degraded();
                });
            }
        }
    }

    /** The decisions of callers that came every half millisecond. */
    private record Asked(
            List<CompletableFuture<MutableDecision>> decisions,
            List<CompletableFuture<MutableDecision>> waited,
            List<AtomicLong> nanos,
            AtomicLong longestPauseNanos) {
        static Asked of(Limiter limiter, String rule, int times) {
            Asked asked = new Asked(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new AtomicLong());
            for (int i = 0; i < times; i++) {
                long start = System.nanoTime();
                AtomicLong took = new AtomicLong();
                asked.nanos.add(took);
                CompletableFuture<MutableDecision> decision = limiter.decideAsync(ask(rule))
                        .toCompletableFuture()
                        .whenComplete((any, none) -> took.set(System.nanoTime() - start));
                asked.decisions.add(decision);
                if (!decision.isDone()) {
                    asked.waited.add(decision);
                }
                long parked = System.nanoTime();
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
                asked.longestPauseNanos.accumulateAndGet(System.nanoTime() - parked, Math::max);
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

        /** The longest time in which this thread wanted to run and did not. */
        Duration longestPause() {
            return Duration.ofNanos(longestPauseNanos.get());
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
