package dev.weir.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.redis.testkit.RedisProcess;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hits under a limit that is changed live do not expire before the new limit allows it. */
class ChangedLimitTest {
    private static final long MONTH = TimeUnit.DAYS.toMicros(30);
    /** Just after a window of the longer limit has begun. */
    private static final long NOW = 600 * MONTH + 1_500_000;

    private static RedisProcess redis;
    private static ScriptStore script;

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start();
        script = new ScriptStore(redis);
    }

    @AfterAll
    static void stopRedis() {
        script.shutDown();
        redis.stop();
    }

    @ParameterizedTest
    @CsvSource({
        "TOKEN_BUCKET, 1",
        "GCRA, 1",
        "FIXED_WINDOW, 1",
        "SLIDING_WINDOW, 1",
        "SLIDING_WINDOW, 10",
        "SLIDING_WINDOW_LOG, 1"
    })
    void aDenialUnderALongerWindowKeepsTheStateForThatLong(Algorithm algorithm, int parts) {
        script.close();
        Checks checks = new Checks();
        Check check = checks.add();
        check.key0 = 1;
        check.key1 = 2;
        check.hits = 10;
        check.meter = Meters.of(new Limit(algorithm, 10, 1_000_000, 10, parts));
        assertThat(script.decide(checks, NOW)).isTrue();

        check.hits = 1;
        check.meter = Meters.of(new Limit(algorithm, 10, MONTH, 10, parts));
        for (long later : List.of(1L, 100_000L)) {
            assertThat(script.decide(checks, NOW + later)).isFalse();
            assertThat(check.outcome.reset).isGreaterThan(2 * 1_000 * ScriptStore.GRACE);
            assertThat(script.redis().pttl(RedisKey.of(check.name)))
                    .as("milliseconds until Redis forgets it")
                    .isGreaterThan(check.outcome.reset / 1_000);
        }
    }
}
