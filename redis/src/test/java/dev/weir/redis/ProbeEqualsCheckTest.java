package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.RateLimiter;
import dev.weir.Verdict;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Assume;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/** On a real Redis, a probe says the verdict, wait and reset of the check that follows, for every algorithm. */
class ProbeEqualsCheckTest {
    private static final RedisProcess redis = RedisProcess.start();
    private static final Map<Algorithm, RateLimiter> limiters = new EnumMap<>(Algorithm.class);

    @AfterContainer
    static void stop() {
        limiters.values().forEach(RateLimiter::close);
        redis.stop();
    }

    private static RateLimiter open(Algorithm algorithm) {
        return RateLimiter.builder(Limit.of(algorithm, 9, Duration.ofHours(1)))
                .store("probed-" + algorithm, RedisStore.at(redis.uri()))
                .deadline(Duration.ofSeconds(10))
                .open();
    }

    @Property(tries = 40, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void onRandomHistories(@ForAll Algorithm algorithm, @ForAll long seed) {
        Assume.that(algorithm != Algorithm.CONCURRENCY);
        RateLimiter limiter = limiters.computeIfAbsent(algorithm, ProbeEqualsCheckTest::open);
        String key = "k" + seed;
        Random random = new Random(seed);
        for (int i = 0; i < 12; i++) {
            int hits = 1 + random.nextInt(4);
            long begun = System.nanoTime();
            Verdict probed = limiter.probe(key, hits);
            Verdict checked = limiter.check(key, hits);
            Duration between = Duration.ofNanos(System.nanoTime() - begun).plusMillis(1);
            assertThat(probed.degraded() || checked.degraded()).isFalse();
            assertThat(probed.reason()).isEqualTo(checked.reason());
            if (!checked.allowed()) {
                assertThat(probed.remaining()).isEqualTo(checked.remaining());
                assertThat(probed.retryAfter()).isCloseTo(checked.retryAfter(), between);
                assertThat(probed.reset()).isCloseTo(checked.reset(), between);
            }
            Verdict after = limiter.probe(key, hits);
            assertThat(after.remaining()).isEqualTo(checked.remaining());
            assertThat(after.reset())
                    .isCloseTo(
                            checked.reset(),
                            Duration.ofNanos(System.nanoTime() - begun).plusMillis(1));
        }
    }
}
