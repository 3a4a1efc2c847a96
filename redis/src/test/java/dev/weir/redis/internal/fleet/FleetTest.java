package dev.weir.redis.internal.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Limit;
import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WeirRules;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.store.AwaitableAsk;
import dev.weir.redis.internal.store.FleetLimiters;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several nodes on one Redis, whose clocks need not agree. */
class FleetTest {
    private static final Duration PATIENT = Duration.ofSeconds(4);
    private static final Duration BACK = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static RedisProcess redis;

    private final List<RedisSharedStore> stores = new ArrayList<>();

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
        stores.forEach(RedisSharedStore::close);
    }

    private Limiter node(WrittenRules rules, Duration clockIsAhead) {
        RedisSharedStore store = StoreFixture.open(redis.uri());
        stores.add(store);
        StoreFixture.awaitServed(store, "ready");
        TimeSource time = TimeSource.system();
        return FleetLimiters.on(store, rules, PATIENT, () -> time.micros() + clockIsAhead.toNanos() / 1_000);
    }

    private static WrittenRules rule(Limit limit) {
        return WeirRules.rules(WeirRules.rule(WeirRules.rule("r", limit).build(), KeyBy.of("user")));
    }

    /** Each node asks so often, all at once; how many passed. */
    private static long hammer(List<Limiter> nodes, int timesEach, Request request) {
        List<Thread> threads = new ArrayList<>();
        List<CompletableFuture<MutableDecision>> decisions = new ArrayList<>();
        for (Limiter node : nodes) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < timesEach; i++) {
                    CompletableFuture<MutableDecision> decision =
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
        WrittenRules rules = rule(Limit.tokenBucket(1_000, Duration.ofDays(30)));
        List<Limiter> nodes = List.of(
                node(rules, Duration.ZERO),
                node(rules, HOUR),
                node(rules, HOUR.negated()),
                node(rules, HOUR.multipliedBy(-9)));
        assertThat(hammer(nodes, 1_000, WeirRules.ask("user", "u"))).isEqualTo(1_000);
    }

    @Test
    void nodesWhoseClocksDifferCountInTheSameWindow() {
        WrittenRules rules = rule(Limit.fixedWindow(1_000, Duration.ofDays(30)));
        List<Limiter> nodes = List.of(
                node(rules, Duration.ZERO), node(rules, Duration.ofDays(40)), node(rules, Duration.ofDays(-40)));
        assertThat(hammer(nodes, 1_000, WeirRules.ask("user", "u"))).isEqualTo(1_000);
    }

    /** Each node connects once, at a random time, so that a restarted server is not flooded. */
    @Test
    void fiftyNodesFindARedisAgainThatWasRestarted() {
        EventLoopGroup loops = LettuceSetup.ownLoops();
        List<RedisSharedStore> fifty = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                fifty.add(RedisSharedStore.open(StoreFixture.settings(redis.uri()), loops));
            }
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisSharedStore::serves));
            redis.kill();
            await().atMost(BACK).until(() -> fifty.stream().noneMatch(RedisSharedStore::serves));
            redis.restart();
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisSharedStore::serves));
            assertThat(Integer.parseInt(redis.info("clients", "connected_clients")))
                    .isLessThanOrEqualTo(51);
            fifty.forEach(each -> assertThat(StoreFixture.ask(each, "a", StoreFixture.PLENTY, 1).failure)
                    .isNull());
        } finally {
            fifty.forEach(RedisSharedStore::close);
            var unused = loops.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        }
    }

    /** Each finds out in its own time that it is silent, lets go of one connection, and is patient with the next. */
    @Test
    void fiftyNodesDoNotRunOverARedisThatWasStopped() {
        EventLoopGroup loops = LettuceSetup.ownLoops();
        List<RedisSharedStore> fifty = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                fifty.add(RedisSharedStore.open(StoreFixture.settings(redis.uri()), loops));
            }
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisSharedStore::serves));
            redis.cli("CONFIG", "RESETSTAT");
            redis.pause();
            await().atMost(BACK).until(() -> {
                for (RedisSharedStore each : fifty) {
                    var unused =
                            new AwaitableAsk().on("a", StoreFixture.PLENTY, 1).ask(each, StoreFixture.DEADLINE);
                }
                return fifty.stream().allMatch(each -> each.health().get(0).down() != null);
            });
            redis.resume();
            await().atMost(BACK).until(() -> fifty.stream().allMatch(RedisSharedStore::serves));
            await().atMost(BACK).until(() -> Integer.parseInt(redis.info("clients", "connected_clients")) <= 51);
            assertThat(Integer.parseInt(redis.info("stats", "total_connections_received")))
                    .as("connections")
                    .isLessThan(150);
        } finally {
            redis.resume();
            fifty.forEach(RedisSharedStore::close);
            var unused = loops.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        }
    }
}
