package dev.weir.internal.limiter;

import static dev.weir.internal.ruleset.WeirRules.ask;
import static dev.weir.internal.ruleset.WeirRules.rule;
import static dev.weir.internal.ruleset.WeirRules.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.StoreFailure;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.report.ReportStats;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportedDecisionTest {
    private static final Limit WINDOW = Limit.fixedWindow(10, Duration.ofMinutes(1));
    private static final Request USER = ask("user", "u");

    private static WrittenRules reported(Limit limit) {
        return rules(rule(
                WeirRules.rule("r", limit).consistency(Consistency.REPORTED).build(), KeyBy.of("user")));
    }

    private static ReportStats stats(Limiter limiter) {
        return Objects.requireNonNull(limiter.tier()).reports().stats();
    }

    /** Lets an interval pass, and every report be answered. */
    private static void report(SharedLimiterHarness fleet) {
        fleet.now += 200_000;
        fleet.limiter.tick();
        fleet.store().answerAll();
    }

    @Test
    void decisionsComeAtOnceAndCountsAreReportedTogether() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        for (int i = 0; i < 3; i++) {
            assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT " + (9 - i) + "]");
        }
        fleet.limiter.tick();
        assertThat(fleet.store().asked).as("before the interval is over").isEmpty();
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+3");
        report(fleet);
        assertThat(fleet.store().asked).as("nothing new").hasSize(1);
        assertThat(stats(fleet.limiter).hits()).isEqualTo(3);
    }

    @Test
    void theAnswerToAReportBringsTheHitsOfOthers() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        Limiter other = another(fleet, reported(WINDOW));
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 9]");
        for (int i = 0; i < 6; i++) {
            assertThat(other.decide(USER).allowed()).isTrue();
        }
        fleet.now += 200_000;
        other.tick();
        fleet.store().answerAll();
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 8]");
        report(fleet);
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 1]");
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 0]");
        assertThat(fleet.ask(USER).text).isEqualTo("no [r OVER_LIMIT 0]");
    }

    private static Limiter another(SharedLimiterHarness fleet, WrittenRules rules) {
        return another(fleet, rules, new MemoryStore(100));
    }

    private static Limiter another(SharedLimiterHarness fleet, WrittenRules rules, LocalStore counters) {
        return new Limiter(
                rules,
                counters,
                SharedStores.of(fleet.stores),
                fleet,
                LimiterSettings.defaults(),
                new LimiterObserver() {});
    }

    @Test
    void owedHitsArePaidBeforeAnythingPassesAgain() {
        Limit bucket = Limit.tokenBucket(10, Duration.ofSeconds(10));
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(bucket));
        Limiter other = another(fleet, reported(bucket));
        for (int i = 0; i < 10; i++) {
            assertThat(other.decide(USER).allowed()).isTrue();
            assertThat(fleet.ask(USER).decision.allowed()).isTrue();
        }
        other.returnLeases();
        fleet.store().answerAll();
        report(fleet);
        assertThat(stats(fleet.limiter).over()).isEqualTo(10);
        // One a second comes back, and goes to what is owed.
        for (int i = 0; i < 45; i++) {
            assertThat(fleet.ask(USER).text).as("after %d intervals", i).startsWith("no [r OVER_LIMIT 0]");
            report(fleet);
        }
        for (int i = 0; i < 10; i++) {
            report(fleet);
        }
        assertThat(fleet.ask(USER).decision.allowed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 100})
    void aRequestToABucketThatOwesWaitsUntilItIsPaid(long aSecond) {
        Limit bucket = Limit.tokenBucket(10 * aSecond, Duration.ofSeconds(10));
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(bucket));
        Limiter other = another(fleet, reported(bucket));
        other.decide(ask("user", "u").hits(10 * aSecond));
        other.returnLeases();
        fleet.store().answerAll();
        fleet.ask(ask("user", "u").hits(5 + aSecond / 5));
        report(fleet);
        long wait = fleet.ask(USER).decision.verdict(0).retryAfterMicros();
        long hit = LocalLimiterHarness.SECOND / aSecond;
        long flowingIn = 6 * hit;
        assertThat(wait).as("and an interval, two ticks, a deadline").isEqualTo(flowingIn + 310_000);
        assertThat(fleet.ask(ask("user", "u").hits(10 * aSecond + 1)).text).isEqualTo("no [r NEVER 0]");
        long until = fleet.now + wait;
        for (; fleet.now + 50_000 < until; fleet.now += 50_000) {
            if (until - fleet.now > 310_000 + hit) {
                assertThat(fleet.ask(USER).decision.allowed()).isFalse();
            }
            fleet.limiter.tick();
            fleet.store().answerAll();
        }
        fleet.now = until;
        assertThat(fleet.ask(USER).decision.allowed()).isTrue();
    }

    @Test
    void unreportedHitsOfAWindowAreNotChargedToTheNextOne() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.store().fail(StoreFailure.OPEN);
        for (int i = 0; i < 10; i++) {
            fleet.ask(USER);
        }
        report(fleet);
        fleet.now += 50 * LocalLimiterHarness.SECOND;
        fleet.store().fail(null);
        fleet.store().asked.clear();
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 9]");
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+1");
        assertThat(stats(fleet.limiter).dropped()).isEqualTo(10);
    }

    @Test
    void aReportWithoutAnAnswerIsSentAgain() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.ask(USER);
        fleet.store().fail(StoreFailure.TIMEOUT);
        report(fleet);
        fleet.ask(USER);
        fleet.store().fail(null);
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+1", "fw:d:r:u 0+2");
    }

    /** Owed, it would be ten seconds until anything passes. */
    @Test
    void hitsWithoutAnAnswerAreReportedAgainAndNotOwed() {
        Limit bucket = Limit.tokenBucket(10, Duration.ofSeconds(10));
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(bucket));
        Limiter other = another(fleet, reported(bucket));
        for (int i = 0; i < 10; i++) {
            assertThat(other.decide(USER).allowed()).isTrue();
            assertThat(fleet.ask(USER).decision.allowed()).isTrue();
        }
        other.returnLeases();
        fleet.store().answerAll();
        fleet.store().asked.clear();
        fleet.store().fail(StoreFailure.TIMEOUT);
        report(fleet);
        fleet.store().fail(null);
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("tb:d:r:u 0+10", "tb:d:r:u 0+10");
        report(fleet);
        assertThat(fleet.store().asked).as("nothing is owed").hasSize(2);
        fleet.now += LocalLimiterHarness.SECOND;
        assertThat(fleet.ask(USER).decision.allowed()).isTrue();
    }

    @Test
    void aGiveBackWithoutAnAnswerIsNotReportedTwice() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.ask(ask("user", "u").hits(4));
        report(fleet);
        fleet.ask(ask("user", "u").hits(-3));
        fleet.store().fail(StoreFailure.TIMEOUT);
        report(fleet);
        fleet.store().fail(null);
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+4", "fw:d:r:u -3");
    }

    @Test
    void aDenialTriggersAReport() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        Limiter other = another(fleet, reported(WINDOW));
        other.decide(ask("user", "u").hits(10));
        other.returnLeases();
        fleet.store().answerAll();
        assertThat(fleet.ask(USER).decision.allowed()).isTrue();
        report(fleet);
        assertThat(fleet.ask(USER).decision.allowed()).isFalse();
        other.decide(ask("user", "u").hits(-5));
        other.returnLeases();
        fleet.store().answerAll();
        fleet.store().asked.clear();
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0");
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 4]");
    }

    @Test
    void aDenialBeforeAnotherStoreIsAskedTriggersAReportToo() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(rules(
                rule(
                        WeirRules.rule("r", WINDOW)
                                .consistency(Consistency.REPORTED)
                                .build(),
                        KeyBy.of("user")),
                rule(
                        WeirRules.rule("e", Limit.fixedWindow(100, Duration.ofMinutes(1)))
                                .build(),
                        KeyBy.of("user"))));
        fleet.decide(ask("user", "u").hits(9));
        report(fleet);
        fleet.store().asked.clear();
        assertThat(fleet.decide(ask("user", "u").hits(2))).isEqualTo("no [r OVER_LIMIT 1]");
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0");
    }

    @Test
    void aReportThatFailsAfterItsWindowIsNotChargedToTheNextOne() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.ask(ask("user", "u").hits(9));
        fleet.now += 200_000;
        fleet.limiter.tick();
        fleet.now += 50 * LocalLimiterHarness.SECOND;
        assertThat(fleet.ask(USER).text).as("a new window").isEqualTo("yes [r WITHIN_LIMIT 9]");
        fleet.store().fail(StoreFailure.TIMEOUT);
        fleet.store().answerAll();
        fleet.store().fail(null);
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+9", "fw:d:r:u 0+1");
        assertThat(stats(fleet.limiter).dropped()).isEqualTo(9);
    }

    @Test
    void hitsThatPassedDuringAReportAreReportedOnShutdownToo() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.ask(USER);
        fleet.now += 200_000;
        fleet.limiter.tick();
        fleet.ask(ask("user", "u").hits(2));
        var done = fleet.limiter.returnLeases().toCompletableFuture();
        fleet.store().answerAll();
        assertThat(done).isDone();
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+1", "fw:d:r:u 0+2");
    }

    @Test
    void aTickWhileAnAnswerIsAppliedDoesNotSendItAgain() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        List<Limiter> ticking = new ArrayList<>();
        MemoryStore counters = new MemoryStore(100);
        Limiter node = another(fleet, reported(WINDOW), new LocalStore() {
            @Override
            public boolean decide(Checks checks, long nowMicros) {
                ticking.forEach(Limiter::tick);
                return counters.decide(checks, nowMicros);
            }

            @Override
            public boolean forget(Check check) {
                return counters.forget(check);
            }

            @Override
            public void close() {
                counters.close();
            }
        });
        node.decide(ask("user", "u").hits(3));
        fleet.now += 200_000;
        node.tick();
        node.decide(USER);
        fleet.now += 200_000;
        ticking.add(node);
        fleet.store().answer(0);
        assertThat(stats(node).hits()).isEqualTo(3);
        assertThat(fleet.store().waiting).isEmpty();
    }

    @Test
    void owedHitsAreNotReportedOverAndOverOnShutdown() {
        Limit bucket = Limit.tokenBucket(10, Duration.ofSeconds(10));
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(bucket));
        Limiter other = another(fleet, reported(bucket));
        other.decide(ask("user", "u").hits(10));
        other.returnLeases();
        fleet.store().answerAll();
        fleet.ask(USER);
        var done = fleet.limiter.returnLeases().toCompletableFuture();
        fleet.store().answerAll();
        assertThat(done).isDone();
        assertThat(stats(fleet.limiter).over()).isEqualTo(1);
    }

    @Test
    void returnedHitsAreReportedToo() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.ask(ask("user", "u").hits(4));
        report(fleet);
        assertThat(fleet.ask(ask("user", "u").hits(-3)).text).isEqualTo("yes [r WITHIN_LIMIT 9]");
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+4", "fw:d:r:u -3");
        assertThat(fleet.ask(USER).text).isEqualTo("yes [r WITHIN_LIMIT 8]");
    }

    @Test
    void onShutdownCountsAreReportedAtOnce() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.ask(USER);
        var done = fleet.limiter.returnLeases().toCompletableFuture();
        assertThat(done).isNotDone();
        fleet.store().answerAll();
        assertThat(done).isDone();
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+1");
    }

    @Test
    void hitsThatPassWhileTheCounterIsDroppedAreReportedToo() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        TickedStore counters = new TickedStore();
        Limiter limiter = another(fleet, reported(WINDOW), counters);
        limiter.decide(USER);
        fleet.now += 200_000;
        limiter.tick();
        fleet.store().answerAll();
        fleet.now += 6 * LocalLimiterHarness.SECOND;
        counters.ticked = limiter;
        limiter.decide(USER);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+1", "fw:d:r:u 0+1");
    }

    @Test
    void hitsThatPassedDuringAReportAreReportedWhenTheLimitChangesToo() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(reported(WINDOW));
        fleet.ask(USER);
        fleet.now += 200_000;
        fleet.limiter.tick();
        fleet.ask(ask("user", "u").hits(2));
        fleet.limiter.rules(reported(Limit.fixedWindow(20, Duration.ofMinutes(1))));
        fleet.ask(ask("user", "u").hits(3));
        fleet.store().answerAll();
        report(fleet);
        assertThat(fleet.store().asked).containsExactly("fw:d:r:u 0+1", "fw:d:r:u 0+2", "fw:d:r:u 0+3");
    }

    @Test
    void aCounterThatFindsNoRoomIsAskedExactly() {
        SharedLimiterHarness fleet = new SharedLimiterHarness(
                reported(WINDOW), LimiterSettings.defaults().withTierCounters(2));
        assertThat(fleet.ask(ask("user", "a")).atOnce).isTrue();
        assertThat(fleet.ask(ask("user", "b")).atOnce).isTrue();
        assertThat(fleet.ask(ask("user", "c")).atOnce).isFalse();
        assertThat(fleet.store().asked).containsExactly("fw:d:r:c 1");
        fleet.now += 6 * LocalLimiterHarness.SECOND;
        fleet.limiter.tick();
        fleet.store().answerAll();
        fleet.now += 6 * LocalLimiterHarness.SECOND;
        fleet.limiter.tick();
        assertThat(fleet.ask(ask("user", "c")).atOnce).as("the others are idle").isTrue();
    }

    /** Counts, and between finding a counter and counting in it another thread's tick comes in. */
    private static final class TickedStore implements LocalStore {
        private final MemoryStore counters = new MemoryStore(100);

        @Nullable
        Limiter ticked;

        @Override
        public boolean decide(Checks checks, long now) {
            if (ticked != null) {
                ticked.tick();
            }
            return counters.decide(checks, now);
        }

        @Override
        public boolean forget(Check check) {
            return counters.forget(check);
        }

        @Override
        public void close() {
            counters.close();
        }
    }

    /** limit + nodes × local rate × interval, over the whole of it. */
    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"LEAKY_BUCKET", "CONCURRENCY"})
    void tenNodesStayWithinTheBound(Algorithm algorithm) {
        Limit limit = Limit.of(algorithm, 1_000, Duration.ofSeconds(10));
        for (int seed = 1; seed <= 3; seed++) {
            LeasedNodes nodes = new LeasedNodes(reported(limit), 10);
            long end = nodes.now + 30 * LocalLimiterHarness.SECOND;
            Random random = new Random(seed);
            long perSecond = 400;
            for (int i = 0; i < 10; i++) {
                nodes.traffic(i, USER, perSecond / 10.0, end, random);
            }
            nodes.run(end);
            boolean bucket = algorithm == Algorithm.TOKEN_BUCKET || algorithm == Algorithm.GCRA;
            long most = bucket ? 4_000 : 3_000;
            // A tick late and a round trip, and three windows that each start anew.
            long beyond = perSecond * 3 / 10 * (bucket ? 1 : 3);
            String what = "%s, seed %d: %d of %d, %d asks"
                    .formatted(algorithm, seed, nodes.admitted(), nodes.decisions, nodes.asks);
            assertThat(nodes.admitted()).as(what).isBetween(most * 95 / 100, most + beyond);
            assertThat(nodes.asks).as(what).isLessThan(10 * 30 * 5 + 10);
        }
    }
}
