package dev.weir.redis.internal.inspection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterName;
import dev.weir.redis.RedisCredentials;
import dev.weir.redis.internal.node.EvictionWatch;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.AwaitableAsk;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators' commands on counters. */
class CounterInspectorTest {
    private static RedisProcess redis;
    private static RedisSharedStore store;

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        store = RedisSharedStore.open(RedisSettings.of(redis.uri()).withDeadline(Duration.ofSeconds(5)));
        AwaitableAsk.awaitServing(store);
    }

    @AfterAll
    static void stop() {
        store.close();
        redis.stop();
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void aCounterCanBeLookedIntoAndForgotten(Algorithm algorithm) throws Exception {
        Meter meter = Meters.of(Limit.of(algorithm, 100, Duration.ofHours(1)));
        AwaitableAsk ask = new AwaitableAsk().on("look:" + algorithm, meter, 7);
        CounterName name = new CounterName();
        name.set(ask.checks.get(0).name);
        assertThat(inspect(name)).isEmpty();
        assertThat(ask.now(store).allowed()).isTrue();

        CounterState state = inspect(name).orElseThrow();
        assertThat(state.used()).isEqualTo(7);
        assertThat(state.key()).startsWith("weir:{").endsWith("}:look:" + algorithm);
        assertThat(state.kind()).isNotEqualTo("unknown");
        assertThat(state.forgottenIn()).isNotNull().isPositive();
        if (state.since() != null) {
            assertThat(state.since())
                    .isBetween(Instant.now().minusSeconds(3_700), Instant.now().plusSeconds(1));
        }

        assertThat(store.reset(name).toCompletableFuture().get(5, TimeUnit.SECONDS))
                .isTrue();
        assertThat(store.reset(name).toCompletableFuture().get(5, TimeUnit.SECONDS))
                .isFalse();
        assertThat(inspect(name)).isEmpty();
        assertThat(new AwaitableAsk()
                        .on("look:" + algorithm, meter, 0)
                        .now(store)
                        .remaining(0))
                .isEqualTo(100);
    }

    private static Optional<CounterState> inspect(CounterName name) throws Exception {
        return store.inspect(name).toCompletableFuture().get(5, TimeUnit.SECONDS);
    }

    @Test
    void warmingUpAnswersAndLeavesNothingBehind() {
        redis.cli("FLUSHALL");
        assertThat(store.warmUp(Duration.ofSeconds(5))).isTrue();
        assertThat(store.serves()).isTrue();
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> Long.valueOf(0).equals(redis.cli("DBSIZE")));
    }

    @Test
    void aRequestDeniedElsewhereTakesOnlyHitsThatCountWhenDenied() {
        Meter window = Meters.of(Limit.of(Algorithm.FIXED_WINDOW, 100, Duration.ofDays(30)));
        AwaitableAsk ask = new AwaitableAsk().on("denied", window, 5).on("counted", window, 5);
        ask.checks.get(1).countsDenied = true;
        ask.denied = true;
        ask.now(store);
        assertThat(ask.failure()).isNull();
        assertThat(ask.remaining(0)).isEqualTo(100);
        assertThat(new AwaitableAsk().on("denied", window, 0).now(store).remaining(0))
                .isEqualTo(100);
        assertThat(new AwaitableAsk().on("counted", window, 0).now(store).remaining(0))
                .isEqualTo(95);
        AwaitableAsk alone = new AwaitableAsk().on("denied", window, 5);
        alone.denied = true;
        alone.now(store);
        assertThat(new AwaitableAsk().on("denied", window, 0).now(store).remaining(0))
                .isEqualTo(100);
    }

    @Test
    void aPasswordIsAskedForAtEveryConnect() {
        try (RedisProcess guarded = RedisProcess.start()) {
            guarded.password("old");
            AtomicReference<String> password = new AtomicReference<>("old");
            RedisSettings settings = RedisSettings.of("redis://" + guarded.address())
                    .withDeadline(Duration.ofSeconds(5))
                    .withCredentials(() -> new RedisCredentials("", Objects.requireNonNull(password.get())));
            try (RedisSharedStore locked = RedisSharedStore.open(settings)) {
                AwaitableAsk.awaitServing(locked);
                guarded.password("new");
                guarded.cli("CLIENT", "KILL", "TYPE", "normal");
                Awaitility.await()
                        .atMost(AwaitableAsk.PATIENCE)
                        .until(() -> locked.health().get(0).down() == StoreFailure.REFUSED);
                assertThat(new AwaitableAsk()
                                .on("k", AwaitableAsk.limit(1), 1)
                                .now(locked)
                                .failure())
                        .isEqualTo(StoreFailure.REFUSED);
                password.set("new");
                AwaitableAsk.awaitServing(locked);
                assertThat(new AwaitableAsk()
                                .on("k", AwaitableAsk.limit(1), 1)
                                .now(locked)
                                .allowed())
                        .isTrue();
            }
        }
    }

    @Test
    void evictionThatMayDropCountersIsWarnedOf() {
        assertThat(EvictionWatch.warning("maxmemory:1000\r\nmaxmemory_policy:allkeys-lru\r\n"))
                .contains("allkeys-lru");
        assertThat(EvictionWatch.warning("maxmemory:1000\r\nmaxmemory_policy:volatile-ttl\r\n"))
                .contains("volatile-ttl");
        assertThat(EvictionWatch.warning("maxmemory:1000\r\nmaxmemory_policy:noeviction\r\n"))
                .isEmpty();
        assertThat(EvictionWatch.warning("maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n"))
                .isEmpty();
        assertThat(EvictionWatch.warning("")).isEmpty();
    }
}
