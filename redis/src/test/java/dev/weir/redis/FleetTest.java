package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limiter.Limiter;
import dev.weir.match.KeyBy;
import dev.weir.match.RuleSet;
import dev.weir.match.Weir;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.Request;
import dev.weir.model.TimeSource;
import dev.weir.redis.testkit.RedisProcess;
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
}
