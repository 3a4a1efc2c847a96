package dev.weir.redis.internal.store;

import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.redis.internal.script.SteppedClockScript;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis's clock is set, forward and back, while callers are served. */
class RedisClockTest {
    private static final Duration PATIENT = Duration.ofSeconds(4);
    private static final Duration HOUR = Duration.ofHours(1);
    private static RedisProcess redis;

    private RedisSharedStore store;

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.stop();
    }

    @BeforeEach
    void open() {
        redis.cli("FLUSHALL");
        store = RedisSharedStore.open(RedisSettings.of(redis.uri()).withDeadline(PATIENT), SteppedClockScript.script());
        StoreFixture.awaitServed(store, "ready");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static void set(Duration ahead) {
        redis.cli("SET", SteppedClockScript.KEY, Long.toString(ahead.toNanos() / 1_000));
    }

    /** A batch in flight while the clock is set forward expires, charges nothing, and is retried. */
    @Test
    void nobodyIsFailedAndEverybodyIsCountedOnce() {
        try (SteadyLoad load = SteadyLoad.on(store, PLENTY, PATIENT, "a", "b")) {
            for (Duration ahead : new Duration[] {HOUR, Duration.ZERO, HOUR.negated(), Duration.ZERO}) {
                load.awaitAnswers(200);
                load.next();
                set(ahead);
            }
            load.awaitAnswers(200);
            AnswerTally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            assertThat(store.stats().expired()).isPositive();
            for (String key : new String[] {"a", "b"}) {
                assertThat(StoreFixture.taken(store, key, PLENTY)).as(key).isEqualTo(all.admitted(key));
            }
        }
    }

    /** Only the probe talks to Redis then. */
    @Test
    void aClockThatIsSetWhileTheBreakerIsOpenKeepsNobodyOut() {
        redis.cli("ACL", "SETUSER", "default", "-eval", "-evalsha");
        try {
            await().until(() -> {
                StoreFixture.ask(store, "k", PLENTY, 1);
                return store.health().get(0).open();
            });
            set(HOUR);
        } finally {
            redis.cli("ACL", "SETUSER", "default", "+@all");
        }
        StoreFixture.awaitServed(store, "k");
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void nobodyIsLockedOutForLongerThanTheirWindow(Algorithm algorithm) {
        Meter meter = Meters.of(Limit.of(algorithm, 5, Duration.ofSeconds(1)));
        for (Duration ahead : new Duration[] {HOUR, HOUR.negated()}) {
            await().until(() -> !StoreFixture.ask(store, "k", meter, 1).outcome.allowed);
            set(ahead);
            await().atMost(Duration.ofSeconds(5)).until(() -> StoreFixture.ask(store, "k", meter, 1).outcome.allowed);
        }
    }

    /** A window of a month has not much more room after an hour, be it one that never was. */
    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "GCRA", "LEAKY_BUCKET", "SLIDING_WINDOW_LOG"})
    void nobodyGetsMoreThanTheHourIsWorth(Algorithm algorithm) {
        Meter meter = Meters.of(Limit.of(algorithm, 100, Duration.ofDays(30)));
        long passed = admitted(meter);
        for (Duration ahead : new Duration[] {HOUR, Duration.ZERO, HOUR.negated(), Duration.ZERO}) {
            set(ahead);
            passed += admitted(meter);
        }
        assertThat(passed).isEqualTo(100);
    }

    private long admitted(Meter meter) {
        long passed = 0;
        for (int i = 0; i < 120; i++) {
            passed += StoreFixture.ask(store, "k", meter, 1).outcome.allowed ? 1 : 0;
        }
        return passed;
    }
}
