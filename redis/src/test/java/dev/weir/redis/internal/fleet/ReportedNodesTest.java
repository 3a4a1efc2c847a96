package dev.weir.redis.internal.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.report.ReportStats;
import dev.weir.internal.report.Reports;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.fleet.NodeTraffic.Sent;
import dev.weir.redis.internal.store.FleetLimiters;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes that count one key by themselves and report it to a real Redis, where twice the limit is wanted. */
class ReportedNodesTest {
    private static final int NODES = 10;
    private static final long SECOND = 1_000_000;
    private static final Duration DEADLINE = Duration.ofMillis(500);
    private static final Request REQUEST = WeirRules.ask("user", "u");

    /** The longest time until a node knows of the others' hits: an interval, a tick, and a round trip. */
    private static final long BLIND = 200_000 + Limiter.TICK_MILLIS * 1_000 + DEADLINE.toNanos() / 1_000;

    /** A window, and the part of it in which nothing is sent: a busy machine is late. */
    private static final long WINDOW = 12 * SECOND;

    private static final long SLACK = 3 * SECOND;
    private static final long LIMIT = 10_000;

    /** How far a node's clock may be behind Redis's: by a millisecond for its resolution, by more on a busy machine. */
    private static final long CLOCKS_APART = 50_000;

    private RedisProcess redis;
    private final List<RedisSharedStore> stores = new ArrayList<>();
    private final List<Limiter> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        redis = RedisProcess.start();
    }

    @AfterEach
    void stop() {
        stores.forEach(RedisSharedStore::close);
        redis.stop();
    }

    private static Limit window(long requests, long micros) {
        return Limit.fixedWindow(requests, Duration.ofNanos(micros * 1_000));
    }

    private static WrittenRules rules(Limit limit, Consistency consistency) {
        return WeirRules.rules(WeirRules.rule(
                WeirRules.rule("r", limit).consistency(consistency).build(), KeyBy.of("user")));
    }

    private RedisSharedStore store() {
        RedisSharedStore store = StoreFixture.open(StoreFixture.settings(redis.uri(), DEADLINE));
        stores.add(store);
        StoreFixture.awaitServed(store, "ready");
        return store;
    }

    private Limiter exact(Limit limit) {
        return FleetLimiters.on(store(), rules(limit, Consistency.EXACT), DEADLINE);
    }

    private void startNodes(int count, Limit limit) {
        for (int i = 0; i < count; i++) {
            nodes.add(FleetLimiters.on(store(), rules(limit, Consistency.REPORTED), DEADLINE));
        }
    }

    private long time() {
        List<?> time = (List<?>) Objects.requireNonNull(redis.cli("TIME"));
        return Long.parseLong(String.valueOf(time.get(0))) * SECOND + Long.parseLong(String.valueOf(time.get(1)));
    }

    /** Waits until a window has begun for the nodes as well as for Redis. */
    private void awaitTheBeginningOfAWindow(long micros) {
        long before = time() / micros;
        await().atMost(Duration.ofNanos(2 * micros * 1_000))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> (time() - CLOCKS_APART) / micros > before);
    }

    private long calls() {
        Map<String, Long> calls = redis.commandCalls();
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
    }

    private static long admitted(List<Sent> sent) {
        return sent.stream().filter(Sent::allowed).count();
    }

    private static ReportStats stats(Limiter node) {
        return reports(node).stats();
    }

    private static Reports reports(Limiter node) {
        return Objects.requireNonNull(node.tier()).reports();
    }

    /** Returns Redis's count. */
    private static long counted(Limiter exact, String user) {
        MutableDecision asked =
                FleetLimiters.decide(exact, WeirRules.ask("user", user).hits(0));
        Limit limit = Objects.requireNonNull(asked.verdict(0).limit());
        return limit.requests() - asked.verdict(0).remaining();
    }

    private static void flush(Limiter node) {
        node.returnLeases().toCompletableFuture().orTimeout(5, TimeUnit.SECONDS).join();
    }

    @Test
    void aWindowIsUsedUpAndPassedByNoMoreThanPassesBlind() {
        startNodes(NODES, window(LIMIT, WINDOW));
        double demand = 2.0 * LIMIT / WINDOW;
        List<Sent> sent = List.of();
        long window = -1;
        long calls = 0;
        for (int tries = 0;
                tries < 3 && window != time() / WINDOW;
                tries++) { // else this machine stood still for seconds
            awaitTheBeginningOfAWindow(WINDOW);
            window = time() / WINDOW;
            long before = calls();
            sent = new NodeTraffic(NODES, demand, WINDOW - SLACK, 1).send(nodes, REQUEST);
            calls = calls() - before;
        }
        assertThat(time() / WINDOW).as("still the same window").isEqualTo(window);
        String what = "%d of %d admitted, %d calls".formatted(admitted(sent), sent.size(), calls);
        assertThat(admitted(sent)).as(what).isBetween(LIMIT, (long) (LIMIT + demand * BLIND));
        assertCallsAreThoseOfIntervals(calls, WINDOW - SLACK, WINDOW - SLACK, sent.size(), what);
        assertThat(nodes)
                .as("denials have come down to all")
                .noneMatch(each -> FleetLimiters.decide(each, REQUEST).allowed());
    }

    @Test
    void aBucketIsUsedUpAndPassedByNoMoreThanPassesBlind() {
        startNodes(NODES, Limit.tokenBucket(2_000, Duration.ofSeconds(2)));
        long micros = 8 * SECOND;
        long before = calls();
        long began = System.nanoTime();
        NodeTraffic traffic = new NodeTraffic(NODES, 0.002, micros, 2);
        List<Sent> sent = traffic.sendSteadily(nodes, REQUEST);
        long took = (System.nanoTime() - began) / 1_000;
        long calls = calls() - before;
        // Tokens refilled while no request arrived need not have been taken.
        long asking = took - traffic.stoodStillMicros();
        String what = "%d of %d admitted in %d us, of which %d were asked in, %d calls"
                .formatted(admitted(sent), sent.size(), took, asking, calls);
        long least = (2_000 + asking / 1_000) * 98 / 100;
        assertThat(admitted(sent)).as(what).isBetween(least, (long) (2_000 + took / 1_000 + 0.002 * BLIND));
        assertCallsAreThoseOfIntervals(calls, asking, took, sent.size(), what);
    }

    /** Each node calls once in an interval, or a tick later, for as long as it is asked. */
    private static void assertCallsAreThoseOfIntervals(
            long calls, long asking, long took, long decisions, String what) {
        assertThat(calls).as(what).isBetween(intervals(asking) / 2, intervals(took));
        assertThat(calls * 20).as(what).isLessThan(decisions);
    }

    private static long intervals(long micros) {
        return NODES * (micros / 200_000 + 1);
    }

    @Test
    void aStoppedNodeReportsItsCountsAndADeadOneLosesAtMostAnInterval() {
        Limit limit = Limit.fixedWindow(1_000_000, Duration.ofDays(30));
        startNodes(NODES, limit);
        double demand = 0.002;
        List<Sent> sent = new NodeTraffic(NODES, demand, 2 * SECOND, 3).send(nodes, REQUEST);
        Limiter dead = nodes.get(NODES - 1);
        // However late the last tick was on a busy machine, this one is not reported.
        assertThat(FleetLimiters.decide(dead, REQUEST).allowed()).isTrue();
        // Its last report may still be in flight.
        long passedByDead =
                1 + sent.stream().filter(each -> each.node() == NODES - 1).count();
        Limiter exact = exact(limit);
        nodes.stream().filter(each -> each != dead).forEach(ReportedNodesTest::flush);
        await().untilAsserted(() -> assertThat(counted(exact, "u"))
                .isEqualTo(1 + sent.size() - (passedByDead - stats(dead).hits())));
        long lost = passedByDead - stats(dead).hits();
        assertThat(lost).isBetween(1L, (long) (demand * 2 / (NODES + 1) * BLIND));
    }

    @Test
    void hitsNotReportedToAStoppedRedisAreNotChargedToTheNextWindow() {
        long micros = 4 * SECOND;
        Limit limit = window(1_000, micros);
        startNodes(2, limit);
        Limiter exact = exact(limit);
        awaitTheBeginningOfAWindow(micros);
        redis.pause();
        for (Limiter node : nodes) {
            for (int i = 0; i < 100; i++) {
                MutableDecision decision = FleetLimiters.decide(node, REQUEST);
                assertThat(decision.allowed() && !decision.degraded()).isTrue();
            }
        }
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    nodes.forEach(Limiter::tick);
                    return nodes.stream().allMatch(each -> stats(each).dropped() == 100);
                });
        redis.resume();
        stores.forEach(each -> StoreFixture.awaitServed(each, "back"));
        awaitTheBeginningOfAWindow(micros);
        for (int i = 0; i < 10; i++) {
            FleetLimiters.decide(nodes.get(0), REQUEST);
        }
        // On a busy machine a report may time out; it is sent again.
        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            nodes.forEach(Limiter::tick);
            return stats(nodes.get(0)).hits() == 10;
        });
        assertThat(counted(exact, "u")).isEqualTo(10);
    }

    private static List<Limit> everyLimit() {
        Duration hour = Duration.ofHours(1);
        return List.of(
                Limit.fixedWindow(10, Duration.ofDays(30)),
                Limit.tokenBucket(10, hour),
                Limit.of(Algorithm.GCRA, 10, hour),
                Limit.of(Algorithm.SLIDING_WINDOW, 10, Duration.ofDays(30)),
                Limit.of(Algorithm.SLIDING_WINDOW, 10, hour).withSubWindows(5),
                Limit.of(Algorithm.SLIDING_WINDOW_LOG, 10, hour));
    }

    /** The limit is used up on one node; the other let two hits pass before it heard of that, and owes them. */
    @ParameterizedTest
    @MethodSource("everyLimit")
    void aNodeThatDeniesHearsOfWhatAnotherGaveBackOnceItHasPaidWhatItOwes(Limit limit) {
        startNodes(2, limit);
        Limiter gives = nodes.get(0);
        Limiter denies = nodes.get(1);
        for (int i = 0; i < 10; i++) {
            assertThat(FleetLimiters.decide(gives, REQUEST).allowed()).isTrue();
        }
        flush(gives);
        assertThat(FleetLimiters.decide(denies, REQUEST).allowed()).isTrue();
        assertThat(FleetLimiters.decide(denies, REQUEST).allowed()).isTrue();
        flush(denies);
        assertThat(FleetLimiters.decide(denies, REQUEST).allowed()).isFalse();
        FleetLimiters.decide(gives, WeirRules.ask("user", "u").hits(-5));
        flush(gives);
        assertThat(counted(exact(limit), "u")).isEqualTo(5);
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            denies.tick();
            assertThat(FleetLimiters.decide(denies, REQUEST).allowed()).isTrue();
        });
        long passed = 1;
        while (FleetLimiters.decide(denies, REQUEST).allowed()) {
            passed++;
        }
        assertThat(passed).isEqualTo(limit.algorithm() == Algorithm.FIXED_WINDOW ? 5 : 3);
    }

    /** The nodes have used up the limit together and owe nothing, so what one gives back is room for the other. */
    @ParameterizedTest
    @MethodSource("everyLimit")
    void aNodeThatDeniesHearsWithinAnIntervalOfWhatAnotherGaveBack(Limit limit) {
        startNodes(2, limit);
        Limiter gives = nodes.get(0);
        Limiter denies = nodes.get(1);
        for (int i = 0; i < 6; i++) {
            assertThat(FleetLimiters.decide(gives, REQUEST).allowed()).isTrue();
        }
        flush(gives);
        for (int i = 0; i < 4; i++) {
            assertThat(FleetLimiters.decide(denies, REQUEST).allowed()).isTrue();
        }
        flush(denies);
        assertThat(FleetLimiters.decide(denies, REQUEST).allowed()).isFalse();
        FleetLimiters.decide(gives, WeirRules.ask("user", "u").hits(-3));
        flush(gives);
        long reports = stats(denies).reports();
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            denies.tick();
            assertThat(FleetLimiters.decide(denies, REQUEST).allowed()).isTrue();
        });
        assertThat(stats(denies).reports() - reports)
                .as("reports, one an interval, but for a late answer on a busy machine")
                .isBetween(1L, 2L);
        long passed = 1;
        while (FleetLimiters.decide(denies, REQUEST).allowed()) {
            passed++;
        }
        assertThat(passed).isEqualTo(3);
    }

    @Test
    void aFloodOfKeysIsAskedExactlyWhereThereIsNoRoomForMore() {
        int most = 100;
        int keys = 2_000;
        Limit limit = Limit.fixedWindow(1_000, Duration.ofDays(30));
        Limiter node = new Limiter(
                rules(limit, Consistency.REPORTED),
                new MemoryStore(10_000),
                SharedStores.of(store()),
                TimeSource.system(),
                LimiterSettings.defaults()
                        .withDeadlineMicros(DEADLINE.toNanos() / 1_000)
                        .withTierCounters(most),
                new LimiterObserver() {});
        for (int i = 0; i < keys; i++) {
            MutableDecision decision = FleetLimiters.decide(node, WeirRules.ask("user", "u" + i));
            assertThat(decision.allowed() && !decision.degraded()).isTrue();
        }
        assertThat(reports(node).size()).isEqualTo(most);
        flush(node);
        Limiter exact = exact(limit);
        for (int i = 0; i < keys; i += keys / 20 - 1) {
            assertThat(counted(exact, "u" + i)).as("u%d", i).isEqualTo(1);
        }
    }
}
