package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Consistency;
import dev.weir.Decision;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.Request;
import dev.weir.RuleSet;
import dev.weir.RuleSource;
import dev.weir.Store;
import dev.weir.StoreFailure;
import dev.weir.Weir;
import dev.weir.WeirObserver;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.redis.testkit.RedisProcess;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A service with the library on a real Redis. */
class SharedWeirTest {
    private static final Duration LONG = Duration.ofDays(30);
    /** For a busy machine; what must not fail is given all of it. */
    private static final Duration PATIENT = Duration.ofSeconds(5);

    private final RedisProcess redis = RedisProcess.start();

    @AfterEach
    void stop() {
        redis.stop();
    }

    private static RuleSet rules(long requests, UnaryOperator<RuleSet.Builder> more) {
        return more.apply(RuleSet.builder("d")
                        .rule("r", Limit.fixedWindow(requests, LONG))
                        .keyBy("user"))
                .build();
    }

    private static Request ask() {
        return Request.to("d").with("user", "u");
    }

    private Weir open(RuleSource rules) {
        return Weir.builder(rules)
                .store(RedisStore.at(redis.uri()))
                .deadline(PATIENT)
                .open();
    }

    /** Rules that a test changes. */
    private static final class ChangingRules implements RuleSource {
        private final RuleSet first;
        private @Nullable Listener listener;

        ChangingRules(RuleSet first) {
            this.first = first;
        }

        void change(RuleSet next) {
            Objects.requireNonNull(listener).changed(next);
        }

        @Override
        public Subscription follow(Listener follower) {
            listener = follower;
            follower.changed(first);
            return () -> listener = null;
        }
    }

    private long counted() {
        try (Weir exact = open(rules(1_000, rule -> rule))) {
            return counted(exact);
        }
    }

    private static long counted(Weir exact) {
        return 1_000 - exact.decide(ask().hits(0)).verdicts().get(0).remaining();
    }

    @Test
    void twoInstancesOnOneRedisAdmitExactlyTheLimit() {
        RuleSet rules = rules(1_000, rule -> rule);
        try (Weir one = open(rules);
                Weir two = open(rules)) {
            AtomicInteger admitted = new AtomicInteger();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (Weir each : List.of(one, two, one, two)) {
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
        WeirObserver observer = new WeirObserver() {
            @Override
            public void storeFailed(StoreFailure failure) {
                failures.incrementAndGet();
            }
        };
        ChangingRules source = new ChangingRules(rules(1_000, rule -> rule));
        try (Weir weir = Weir.builder(source)
                .store(RedisStore.at(redis.uri()))
                .deadline(Duration.ofMillis(50))
                .observer(observer)
                .open()) {
            assertThat(weir.serves()).isTrue();
            redis.pause();
            long start = System.nanoTime();
            Decision allowed = weir.decide(ask());
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENT);
            assertThat(allowed.degraded()).isTrue();
            assertThat(allowed.allowed()).isTrue();
            assertThat(failures).hasPositiveValue();

            source.change(rules(1_000, rule -> rule.onFail(OnFail.DENY)));
            Decision denied = weir.decide(ask());
            assertThat(denied.degraded()).isTrue();
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.toString()).endsWith(": its store does not answer, and the rule says on_fail: deny]");
            redis.resume();
            await().until(() -> !weir.decide(ask()).degraded());
        }
    }

    @Test
    void whatWasAskedIsNotKeptOnceItIsAnswered() {
        try (Weir weir = open(rules(1_000, rule -> rule))) {
            List<WeakReference<String>> asked = asked(weir, "somebody".repeat(2), "of no rule".repeat(2));
            await().until(() -> {
                System.gc();
                return asked.stream().allMatch(each -> each.get() == null);
            });
        }
    }

    private static List<WeakReference<String>> asked(Weir weir, String user, String other) {
        var unused = weir.decide(Request.to("d").with("user", user).with("other", other));
        return List.of(new WeakReference<>(user), new WeakReference<>(other));
    }

    @Test
    void whatWasLeasedIsBackAfterClosing() {
        int admitted = 0;
        try (Weir exact = open(rules(1_000, rule -> rule))) {
            try (Weir leasing = open(rules(1_000, rule -> rule.consistency(Consistency.LEASED)))) {
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
        try (Weir reporting = open(WeirRules.rules(WeirRules.rule(
                WeirRules.rule("r", Limit.fixedWindow(1_000, LONG))
                        .consistency(Consistency.REPORTED)
                        .reportIntervalMicros(60_000_000)
                        .build(),
                KeyBy.of("user"))))) {
            for (int i = 0; i < 50; i++) {
                admitted += reporting.decide(ask()).allowed() ? 1 : 0;
            }
        }
        assertThat(admitted).isEqualTo(50);
        assertThat(counted()).isEqualTo(50);
    }

    @Test
    void aRuleReplacedWhileItRunsKeepsWhatWasUsed() {
        ChangingRules source = new ChangingRules(rules(1, rule -> rule));
        try (Weir weir = open(source)) {
            assertThat(weir.decide(ask()).allowed()).isTrue();
            assertThat(weir.decide(ask()).allowed()).isFalse();
            source.change(rules(2, rule -> rule));
            await().until(() -> weir.decide(ask()).allowed());
            assertThat(weir.decide(ask()).allowed()).isFalse();
        }
    }

    @Test
    void aRuleMayNameAStore() {
        RuleSet rules = rules(1_000, rule -> rule.store("big"));
        try (Weir weir = Weir.builder(rules)
                .store("big", RedisStore.at(redis.uri()))
                .deadline(PATIENT)
                .open()) {
            assertThat(weir.decide(ask()).allowed()).isTrue();
            assertThat(counted()).isEqualTo(1);
        }
        assertThatThrownBy(() -> Weir.open(rules, RedisStore.at(redis.uri())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("big");
    }

    @Test
    void noRuleThatSharesCountsInThisProcessForWantOfItsStore() {
        Weir.Builder misnamed = Weir.builder(rules(1_000, rule -> rule)).store("defualt", RedisStore.at(redis.uri()));
        assertThatThrownBy(misnamed::open)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("d/r: store: default (expected: one of [defualt])");

        ChangingRules source = new ChangingRules(rules(1, rule -> rule.consistency(Consistency.LOCAL)));
        try (Weir weir =
                Weir.builder(source).store("big", RedisStore.at(redis.uri())).open()) {
            source.change(rules(2, rule -> rule)); // rejected: nobody said where it counts
            assertThat(weir.decide(ask()).allowed()).isTrue();
            assertThat(weir.decide(ask()).allowed()).as("the last set stays").isFalse();
        }
    }

    @Test
    void aRuleMayCountInMemoryBesideOthersInRedis() {
        RuleSet rules = RuleSet.builder("d")
                .rule("here", Limit.fixedWindow(1, LONG))
                .match("where", "here")
                .rule("there", Limit.fixedWindow(1, LONG))
                .match("where", "there")
                .store("big")
                .build();
        try (Weir weir = Weir.builder(rules)
                .store(Store.memory())
                .store("big", RedisStore.at(redis.uri()))
                .deadline(PATIENT)
                .open()) {
            for (String where : List.of("here", "there")) {
                assertThat(weir.decide(Request.to("d").with("where", where)).allowed())
                        .isTrue();
                assertThat(weir.decide(Request.to("d").with("where", where)).allowed())
                        .isFalse();
            }
        }
    }

    @Test
    void aTimeThatNobodyCanMeanIsRefused() {
        Weir.Builder builder = Weir.builder(rules(1_000, rule -> rule));
        assertThatThrownBy(() -> builder.warmUp(ChronoUnit.FOREVER.getDuration()))
                .hasMessageStartingWith("warmUp: 106751991d")
                .hasMessageEndingWith(" (expected: 0s to 1h)");
        assertThatThrownBy(() -> builder.deadline(Duration.ofNanos(999)))
                .hasMessage("deadline: 999ns (expected: 1us to 1h)");
    }

    /** Nothing waits any more on a thread that is interrupted: to go on would be to spin. */
    @Test
    void anInterruptEndsTheWarmUp() throws Exception {
        Thread opening = new Thread(() -> {
            try (Weir opened = Weir.builder(rules(1_000, rule -> rule))
                    .store(RedisStore.at(redis.uri()))
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
    void whatIsDecidedAfterClosingIsRefused() {
        Weir weir = open(rules(1_000, rule -> rule));
        weir.close();
        weir.close();
        assertThatThrownBy(() -> weir.decide(ask()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("closed");
        assertThat(weir.serves()).isFalse();
    }

    @Test
    void aRedisThatIsAwayIsNoReasonNotToOpen() {
        String uri = redis.uri();
        redis.stop();
        try (Weir weir = Weir.open(rules(1_000, rule -> rule.onFail(OnFail.DENY)), RedisStore.at(uri))) {
            assertThat(weir.serves()).isFalse();
            Decision denied = weir.decide(ask());
            assertThat(denied.degraded()).isTrue();
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.retryAfter()).isZero();
        }
    }

    @Test
    void aDenialNamesItsRuleAndItsCounter() {
        try (Weir weir = open(rules(1, rule -> rule))) {
            assertThat(weir.decide(ask()).counterName()).isNull();
            for (int i = 0; i < 2; i++) { // the second is known without asking Redis
                Decision denied = weir.decide(ask());
                assertThat(denied.ruleName()).isEqualTo("r");
                assertThat(denied.counterName()).isEqualTo("user=u");
                assertThat(denied.retryAfter()).isPositive();
            }
        }
    }

    /** It would wait for an answer that comes on this very thread. */
    @Test
    void whoRunsOnAnEventLoopIsToldToAskAsynchronously() {
        try (Weir weir = Weir.builder(rules(1_000, rule -> rule))
                .store(RedisStore.at(redis.uri()))
                .deadline(Duration.ofMillis(500))
                .open()) {
            redis.pause(); // so that the answer comes after this thread has said what to do with it
            CompletableFuture<Decision> nested = weir.decideAsync(ask())
                    .thenApply(first -> weir.decide(ask()))
                    .toCompletableFuture();
            assertThatThrownBy(nested::join).hasRootCauseInstanceOf(IllegalStateException.class);
            redis.resume();
        }
    }
}
