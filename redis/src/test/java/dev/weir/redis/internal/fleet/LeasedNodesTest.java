package dev.weir.redis.internal.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Algorithm;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ten nodes that lease from one key on a real Redis, the busiest with ten times the traffic of the quietest: a limit of 10,000
 * with twice as much wanted, in a window that a test can wait for.
 */
class LeasedNodesTest {
    private static final int NODES = 10;
    private static final Duration DEADLINE = Duration.ofSeconds(1);
    /** In seconds; {@code -Dweir.window=60} is a minute. */
    private static final long WINDOW = Long.getLong("weir.window", 12) * 1_000_000;

    /** The rest of the window after all was sent: a busy machine is late. */
    private static final long SLACK = 3_000_000;

    private static final long LIMIT = 10_000;
    private static final double DEMAND = 2.0 * LIMIT / WINDOW;
    private static final Request REQUEST = WeirRules.ask("user", "u");

    private static RedisProcess redis;
    private final List<RedisSharedStore> stores = new ArrayList<>();
    private final List<Limiter> nodes = new ArrayList<>();

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.stop();
    }

    @AfterEach
    void close() {
        stores.forEach(RedisSharedStore::close);
    }

    private static WrittenRules rules(Consistency consistency, Algorithm algorithm) {
        Limit limit = Limit.of(algorithm, LIMIT, Duration.ofNanos(WINDOW * 1_000));
        return WeirRules.rules(WeirRules.rule(
                WeirRules.rule("r", limit).consistency(consistency).build(), KeyBy.of("user")));
    }

    private Limiter node(Consistency consistency) {
        return node(consistency, Algorithm.FIXED_WINDOW);
    }

    private Limiter node(Consistency consistency, Algorithm algorithm) {
        RedisSharedStore store = StoreFixture.open(StoreFixture.settings(redis.uri(), DEADLINE));
        stores.add(store);
        StoreFixture.awaitServed(store, "ready");
        return FleetLimiters.on(store, rules(consistency, algorithm), DEADLINE);
    }

    /** Microseconds since the window began, by Redis's clock. */
    private static long phase() {
        return time() % WINDOW;
    }

    private static long windowsSoFar() {
        return time() / WINDOW;
    }

    private static long time() {
        List<?> time = (List<?>) Objects.requireNonNull(redis.cli("TIME"));
        return number(time.get(0)) * 1_000_000 + number(time.get(1));
    }

    private static long number(Object text) {
        return Long.parseLong(String.valueOf(text));
    }

    private static long calls() {
        Map<String, Long> calls = redis.commandCalls();
        return calls.getOrDefault("evalsha", 0L) + calls.getOrDefault("eval", 0L);
    }

    private List<Sent> send(long micros, long seed) {
        List<Sent> sent = new NodeTraffic(NODES, DEMAND, micros, seed).send(nodes, REQUEST);
        assertThat(sent)
                .allSatisfy(
                        each -> assertThat(each.decision().join().degraded()).isFalse());
        return sent;
    }

    private static long admitted(List<Sent> sent) {
        return sent.stream().filter(Sent::allowed).count();
    }

    private static long held(Limiter node) {
        return Objects.requireNonNull(node.tier()).leases().held();
    }

    /** Returns the store's count of this window. */
    private static long counted(Limiter exact) {
        MutableDecision asked =
                FleetLimiters.decide(exact, WeirRules.ask("user", "u").hits(0));
        return LIMIT - asked.verdict(0).remaining();
    }

    private void startNodesAtTheBeginningOfAWindow() {
        for (int i = 0; i < NODES; i++) {
            nodes.add(node(Consistency.LEASED));
        }
        awaitTheBeginningOfAWindow();
    }

    private static void awaitTheBeginningOfAWindow() {
        long before = windowsSoFar();
        await().atMost(Duration.ofNanos(2 * WINDOW * 1_000))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> windowsSoFar() > before);
    }

    @Test
    void theWholeLimitPassesAndNoMoreForATenthOfTheCalls() {
        startNodesAtTheBeginningOfAWindow();
        long window = windowsSoFar();
        long before = calls();
        List<Sent> decisions = send(WINDOW - SLACK, 1);
        long calls = calls() - before;
        for (int again = 0; again < 2 && windowsSoFar() != window; again++) { // this machine stood still for seconds
            awaitTheBeginningOfAWindow();
            window = windowsSoFar();
            before = calls();
            decisions = send(WINDOW - SLACK, 1);
            calls = calls() - before;
        }
        assertThat(windowsSoFar()).as("still the same window").isEqualTo(window);
        String what = "%d of %d admitted, %d calls".formatted(admitted(decisions), decisions.size(), calls);
        assertThat(admitted(decisions)).as(what).isBetween(LIMIT * 98 / 100, LIMIT);
        assertThat(calls * 10).as(what).isLessThanOrEqualTo(decisions.size());
    }

    /** A bucket that was emptied before: what flows in during a window is what passes. Hit by hit, a call would be a decision. */
    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "GCRA"})
    void whatFlowsIntoADryBucketPassesAndNoMoreForATenthOfTheCalls(Algorithm algorithm) {
        for (int i = 0; i < NODES; i++) {
            nodes.add(node(Consistency.LEASED, algorithm));
        }
        long began = time();
        MutableDecision all = FleetLimiters.decide(
                node(Consistency.EXACT, algorithm), WeirRules.ask("user", "u").hits(LIMIT));
        assertThat(all.allowed()).isTrue();
        long before = calls();
        List<Sent> decisions = send(WINDOW, 3);
        long calls = calls() - before;
        long flowed = LIMIT * (time() - began) / WINDOW;
        String what = "%d of %d admitted, %d flowed in, %d calls"
                .formatted(admitted(decisions), decisions.size(), flowed, calls);
        assertThat(admitted(decisions)).as(what).isBetween(LIMIT * 98 / 100, flowed);
        assertThat(calls * 10).as(what).isLessThanOrEqualTo(decisions.size());
    }

    @Test
    void aStoppedNodeReturnsItsLeasesAndThoseOfADeadNodeCountAsSpent() {
        startNodesAtTheBeginningOfAWindow();
        long admitted = admitted(send(WINDOW / 5, 2));
        Limiter exact = node(Consistency.EXACT);
        // The last fetch may still be under way.
        await().untilAsserted(() -> assertThat(counted(exact))
                .isEqualTo(admitted
                        + nodes.stream().mapToLong(LeasedNodesTest::held).sum()));

        Limiter dead = nodes.get(NODES - 1);
        long lost = held(dead);
        for (Limiter each : nodes) {
            if (each != dead) {
                each.returnLeases()
                        .toCompletableFuture()
                        .orTimeout(2, TimeUnit.SECONDS)
                        .join();
            }
        }
        assertThat(lost).isPositive();
        assertThat(counted(exact)).isEqualTo(admitted + lost);

        // The leases of the dead node are lost, at most what the busiest node sends in a few hundred ms.
        assertThat(lost).isLessThan((long) (DEMAND * 500_000));
        Limiter next = node(Consistency.LEASED);
        long more = 0;
        while (FleetLimiters.decide(next, REQUEST).allowed()) {
            more++;
        }
        assertThat(phase()).as("still the same window").isGreaterThan(WINDOW / 5);
        assertThat(admitted + lost + more).isEqualTo(LIMIT);
    }
}
