package dev.weir.redis.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.redis.RedisSettings;
import dev.weir.redis.testkit.RedisProcess;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A service with the library on a real Redis. */
class SharedLimiterTest {
    private static final Duration LONG = Duration.ofDays(30);
    /** For a busy machine; what must not fail is given all of it. */
    private static final Duration PATIENT = Duration.ofSeconds(5);

    private final RedisProcess redis = RedisProcess.start();

    @AfterEach
    void stop() {
        redis.stop();
    }

    private static RuleSet rules(long requests, UnaryOperator<RuleBuilder> more) {
        return WeirRules.rules(WeirRules.rule(
                more.apply(WeirRules.rule("r", Limit.fixedWindow(requests, LONG)))
                        .build(),
                KeyBy.of("user")));
    }

    private static Request ask() {
        return WeirRules.ask("user", "u");
    }

    private SharedLimiter open(RuleSet rules) {
        return SharedLimiter.builder(rules).store(redis.uri()).deadline(PATIENT).open();
    }

    private long counted() {
        try (SharedLimiter exact = open(rules(1_000, rule -> rule))) {
            return counted(exact);
        }
    }

    private static long counted(SharedLimiter exact) {
        return 1_000 - exact.decide(ask().hits(0)).verdict(0).remaining();
    }

    @Test
    void twoInstancesOnOneRedisAdmitExactlyTheLimit() {
        RuleSet rules = rules(1_000, rule -> rule);
        try (SharedLimiter one = open(rules);
                SharedLimiter two = open(rules)) {
            AtomicInteger admitted = new AtomicInteger();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (SharedLimiter each : List.of(one, two, one, two)) {
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 400; i++) {
                        if (each.decide(ask()).allowed()) {
                            admitted.incrementAndGet();
                        }
                    }
                }));
            }
            callers.forEach(CompletableFuture::join);
            assertThat(admitted).hasValue(1_000);
            assertThat(one.decideAsync(ask()).toCompletableFuture().join().allowed())
                    .isFalse();
        }
    }

    @Test
    void whileRedisIsStoppedEachRuleDoesWhatItSaysInsideTheDeadline() {
        AtomicInteger failures = new AtomicInteger();
        LimiterObserver observer = new LimiterObserver() {
            @Override
            public void storeFailed(StoreFailure failure) {
                failures.incrementAndGet();
            }
        };
        try (SharedLimiter limiter = SharedLimiter.builder(rules(1_000, rule -> rule))
                .store(redis.uri())
                .deadline(Duration.ofMillis(50))
                .observer(observer)
                .open()) {
            assertThat(limiter.serves()).isTrue();
            redis.pause();
            long start = System.nanoTime();
            MutableDecision allowed = limiter.decide(ask());
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENT);
            assertThat(allowed.degraded()).isTrue();
            assertThat(allowed.allowed()).isTrue();
            assertThat(failures).hasPositiveValue();

            limiter.rules(rules(1_000, rule -> rule.onFail(OnFail.DENY)));
            MutableDecision denied = limiter.decide(ask());
            assertThat(denied.degraded()).isTrue();
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.toString()).endsWith(": its store does not answer, and the rule says on_fail: deny]");
            redis.resume();
            await().until(() -> !limiter.decide(ask()).degraded());
        }
    }

    @Test
    void whatWasAskedIsNotKeptOnceItIsAnswered() {
        try (SharedLimiter limiter = open(rules(1_000, rule -> rule))) {
            List<WeakReference<String>> asked = asked(limiter, "somebody".repeat(2), "of no rule".repeat(2));
            await().until(() -> {
                System.gc();
                return asked.stream().allMatch(each -> each.get() == null);
            });
        }
    }

    private static List<WeakReference<String>> asked(SharedLimiter limiter, String user, String other) {
        limiter.decide(WeirRules.ask("user", user, "other", other));
        return List.of(new WeakReference<>(user), new WeakReference<>(other));
    }

    @Test
    void whatWasLeasedIsBackAfterClosing() {
        int admitted = 0;
        try (SharedLimiter exact = open(rules(1_000, rule -> rule))) {
            try (SharedLimiter leasing = open(rules(1_000, rule -> rule.consistency(Consistency.LEASED)))) {
                while (counted(exact) == admitted && admitted < 900) {
                    for (int i = 0; i < 20; i++) {
                        admitted += leasing.decide(ask()).allowed() ? 1 : 0;
                    }
                }
                assertThat(counted(exact)).as("some are leased").isGreaterThan(admitted);
            }
            assertThat(counted(exact)).isEqualTo(admitted);
        }
    }

    @Test
    void whatWasNotReportedYetIsReportedByClosing() {
        int admitted = 0;
        try (SharedLimiter reporting =
                open(rules(1_000, rule -> rule.consistency(Consistency.REPORTED).reportIntervalMicros(60_000_000)))) {
            for (int i = 0; i < 50; i++) {
                admitted += reporting.decide(ask()).allowed() ? 1 : 0;
            }
        }
        assertThat(admitted).isEqualTo(50);
        assertThat(counted()).isEqualTo(50);
    }

    @Test
    void aRuleReplacedWhileItRunsKeepsWhatWasUsed() {
        try (SharedLimiter limiter = open(rules(1, rule -> rule))) {
            assertThat(limiter.decide(ask()).allowed()).isTrue();
            assertThat(limiter.decide(ask()).allowed()).isFalse();
            limiter.rules(rules(2, rule -> rule));
            await().until(() -> limiter.decide(ask()).allowed());
            assertThat(limiter.decide(ask()).allowed()).isFalse();
        }
    }

    @Test
    void aRuleMayNameAStore() {
        RuleSet rules = rules(1_000, rule -> rule.store("big"));
        try (SharedLimiter limiter = SharedLimiter.builder(rules)
                .store("big", RedisSettings.of(redis.uri()))
                .deadline(PATIENT)
                .open()) {
            assertThat(limiter.decide(ask()).allowed()).isTrue();
            assertThat(counted()).isEqualTo(1);
        }
        assertThatThrownBy(() -> SharedLimiter.open(rules, redis.uri()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("big");
    }

    @Test
    void noRuleThatSharesCountsInThisProcessForWantOfItsStore() {
        SharedLimiterBuilder misnamed =
                SharedLimiter.builder(rules(1_000, rule -> rule)).store("defualt", RedisSettings.of(redis.uri()));
        assertThatThrownBy(misnamed::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("d/r: store: default (expected: one of [defualt])");

        RuleSet local = rules(1, rule -> rule.consistency(Consistency.LOCAL));
        try (SharedLimiter limiter = SharedLimiter.builder(local)
                .store("big", RedisSettings.of(redis.uri()))
                .open()) {
            assertThatThrownBy(() -> limiter.rules(rules(2, rule -> rule)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("store: default");
            assertThat(limiter.decide(ask()).allowed()).isTrue();
            assertThat(limiter.decide(ask()).allowed()).as("the last set stays").isFalse();
        }
    }

    @Test
    void aTimeThatNobodyCanMeanIsRefused() {
        SharedLimiterBuilder builder = SharedLimiter.builder(rules(1_000, rule -> rule));
        assertThatThrownBy(() -> builder.warmUp(ChronoUnit.FOREVER.getDuration()))
                .hasMessageStartingWith("warmUp: PT")
                .hasMessageEndingWith(" (expected: PT0S to PT1H)");
        assertThatThrownBy(() -> builder.deadline(Duration.ofNanos(999)))
                .hasMessage("deadline: PT0.000000999S (expected: PT0.000001S to PT1H)");
    }

    /** Nothing waits any more on a thread that is interrupted: to go on would be to spin. */
    @Test
    void anInterruptEndsTheWarmUp() throws Exception {
        Thread opening = new Thread(() -> {
            try (SharedLimiter opened = SharedLimiter.builder(rules(1_000, rule -> rule))
                    .store(redis.uri())
                    .warmUp(Duration.ofHours(1))
                    .open()) {
                while (!Thread.currentThread().isInterrupted() && opened.rules() != null) {
                    LockSupport.park(); // for good, had opening swallowed it
                }
            }
        });
        opening.start();
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> redis.commandCalls().containsKey("evalsha"));
        redis.pause(); // it has answered once, so it is hoped for until the hour is over
        opening.interrupt();
        opening.join(Duration.ofSeconds(30).toMillis());
        redis.resume();
        assertThat(opening.isAlive()).isFalse();
    }

    @Test
    void whatIsDecidedAfterClosingFindsNoStore() {
        SharedLimiter limiter = open(rules(1_000, rule -> rule.onFail(OnFail.DENY)));
        limiter.close();
        limiter.close();
        MutableDecision late = limiter.decide(ask());
        assertThat(late.degraded()).isTrue();
        assertThat(late.allowed()).isFalse();
        assertThat(limiter.serves()).isFalse();
    }

    /** It would wait for an answer that comes on this very thread. */
    @Test
    void whoRunsOnAnEventLoopIsToldToAskAsynchronously() {
        try (SharedLimiter limiter = SharedLimiter.builder(rules(1_000, rule -> rule))
                .store(redis.uri())
                .deadline(Duration.ofMillis(500))
                .open()) {
            redis.pause(); // so that the answer comes after this thread has said what to do with it
            CompletableFuture<MutableDecision> nested = limiter.decideAsync(ask())
                    .thenApply(first -> limiter.decide(ask()))
                    .toCompletableFuture();
            assertThatThrownBy(nested::join).hasRootCauseInstanceOf(IllegalStateException.class);
            redis.resume();
        }
    }
}
