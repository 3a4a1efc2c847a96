package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.limiter.Limiter;
import dev.weir.match.KeyBy;
import dev.weir.match.RuleSet;
import dev.weir.match.Weir;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.Request;
import dev.weir.model.TimeSource;
import dev.weir.redis.testkit.RedisProcess;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several nodes on one Redis, whose clocks need not agree. */
class FleetTest {
    private static final Duration PATIENT = Duration.ofSeconds(4);
    private static final Duration BACK = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static RedisProcess redis;

    private final List<RedisStore> stores = new ArrayList<>();

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.stop();
    }

    @BeforeEach
    void flush() {
        redis.cli("FLUSHALL");
    }

    @AfterEach
    void close() {
        stores.forEach(RedisStore::close);
    }

    private Limiter node(RuleSet rules, Duration clockIsAhead) {
        RedisStore store = Faults.open(redis.uri());
        stores.add(store);
        Faults.awaitServed(store, "ready");
        TimeSource time = TimeSource.system();
        return Limiters.on(store, rules, PATIENT, () -> time.micros() + clockIsAhead.toNanos() / 1_000);
    }

    private static RuleSet rule(Limit limit) {
        return Weir.rules(Weir.rule(Weir.rule("r", limit).build(), KeyBy.of("user")));
    }

    /** Each node asks so often, all at once; how many passed. */
    private static long hammer(List<Limiter> nodes, int timesEach, Request request) {
        List<Thread> threads = new ArrayList<>();
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (Limiter node : nodes) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < timesEach; i++) {
                    CompletableFuture<Decision> decision =
                            node.decideAsync(request).toCompletableFuture();
                    synchronized (decisions) {
                        decisions.add(decision);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        threads.forEach(thread -> {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        CompletableFuture.allOf(decisions.toArray(CompletableFuture<?>[]::new))
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
        assertThat(decisions)
                .allSatisfy(decision -> assertThat(decision.join().degraded()).isFalse());
        return decisions.stream().filter(decision -> decision.join().allowed()).count();
    }

    @Test
    void nodesWhoseClocksDifferByHoursAdmitTheLimitTogether() {
        RuleSet rules = rule(Limit.tokenBucket(1_000, Duration.ofDays(30)));
        List<Limiter> nodes = List.of(
                node(rules, Duration.ZERO),
                node(rules, HOUR),
                node(rules, HOUR.negated()),
                node(rules, HOUR.multipliedBy(-9)));
        assertThat(hammer(nodes, 1_000, Weir.ask("user", "u"))).isEqualTo(1_000);
    }

    @Test
    void nodesWhoseClocksDifferCountInTheSameWindow() {
        RuleSet rules = rule(Limit.fixedWindow(1_000, Duration.ofDays(30)));
        List<Limiter> nodes = List.of(
                node(rules, Duration.ZERO), node(rules, Duration.ofDays(40)), node(rules, Duration.ofDays(-40)));
        assertThat(hammer(nodes, 1_000, Weir.ask("user", "u"))).isEqualTo(1_000);
    }

    /** Each connects once, in its own time: whoever comes back is not run over. */
    @Test
    void fiftyNodesFindARedisAgainThatWasRestarted() {
        EventLoopGroup loops = LettuceParts.ownLoops();
        List<RedisStore> fifty = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                fifty.add(RedisStore.open(Faults.settings(redis.uri()), loops));
            }
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisStore::serves));
            redis.kill();
            await().atMost(BACK).until(() -> fifty.stream().noneMatch(RedisStore::serves));
            redis.restart();
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisStore::serves));
            assertThat(Integer.parseInt(redis.info("clients", "connected_clients")))
                    .isLessThanOrEqualTo(51);
            fifty.forEach(each ->
                    assertThat(Faults.ask(each, "a", Faults.PLENTY, 1).failure).isNull());
        } finally {
            fifty.forEach(RedisStore::close);
            var unused = loops.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        }
    }

    /** Each finds out in its own time that it is silent, lets go of one connection, and is patient with the next. */
    @Test
    void fiftyNodesDoNotRunOverARedisThatWasStopped() {
        EventLoopGroup loops = LettuceParts.ownLoops();
        List<RedisStore> fifty = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                fifty.add(RedisStore.open(Faults.settings(redis.uri()), loops));
            }
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisStore::serves));
            redis.cli("CONFIG", "RESETSTAT");
            redis.pause();
            await().atMost(BACK).until(() -> {
                for (RedisStore each : fifty) {
                    var unused = new Asking().on("a", Faults.PLENTY, 1).ask(each, Faults.DEADLINE);
                }
                return fifty.stream().allMatch(each -> each.health().get(0).down() != null);
            });
            redis.resume();
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisStore::serves));
            await().atMost(BACK).until(() -> Integer.parseInt(redis.info("clients", "connected_clients")) <= 51);
            assertThat(Integer.parseInt(redis.info("stats", "total_connections_received")))
                    .as("connections")
                    .isLessThan(150);
        } finally {
            redis.resume();
            fifty.forEach(RedisStore::close);
            var unused = loops.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 50", "1, 100", "4, 800", "6, 2000", "60, 2000"})
    void waitsBetweenConnectionsAreSpreadOverAllOfTheirBound(int attempt, long boundMillis) {
        long bound = TimeUnit.MILLISECONDS.toNanos(boundMillis);
        int[] tenths = new int[10];
        for (int i = 0; i < 10_000; i++) {
            long wait = BackOff.nanos(attempt);
            assertThat(wait).isBetween(1L, bound);
            tenths[(int) ((wait - 1) * 10 / bound)]++;
        }
        assertThat(IntStream.of(tenths)).allSatisfy(each -> assertThat(each).isBetween(800, 1_200));
    }
}
