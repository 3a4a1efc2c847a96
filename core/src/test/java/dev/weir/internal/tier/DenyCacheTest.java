package dev.weir.internal.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DenyCacheTest {
    private static final long SECOND = 1_000_000;
    private static final long NOW = 1_800_000_000 * SECOND;
    private static final Meter TEN = Meters.of(Limit.tokenBucket(10, Duration.ofMinutes(1)));
    private static final Meter TWENTY = Meters.of(Limit.tokenBucket(20, Duration.ofMinutes(1)));

    private final DenyCache cache = new DenyCache(1024);

    private static Check check(long key, long hits) {
        Check check = new Check();
        check.key0 = key * 0x9e3779b97f4a7c15L;
        check.key1 = ~key;
        check.meter = TEN;
        check.hits = hits;
        return check;
    }

    private static Check denied(long key, long hits, long retryAfter) {
        Check check = check(key, hits);
        check.outcome.retryAfter = retryAfter;
        check.outcome.remaining = hits - 1;
        check.outcome.reset = 60 * SECOND;
        return check;
    }

    private static Check allowed(long key, long hits) {
        Check check = check(key, hits);
        check.outcome.allowed = true;
        return check;
    }

    @Test
    void aDenialHoldsUntilItsRetryAfter() {
        cache.learn(denied(1, 1, 300_000), NOW);
        Check check = check(1, 1);
        assertThat(cache.denies(check, NOW + 299_999)).isTrue();
        assertThat(check.outcome.allowed).isFalse();
        assertThat(check.outcome.retryAfter).isOne();
        assertThat(check.outcome.reset).isEqualTo(60 * SECOND - 299_999);
        assertThat(cache.denies(check, NOW + 300_000)).isFalse();
        assertThat(cache.denies(check(2, 1), NOW)).isFalse();
        assertThat(cache.answered()).isOne();
        assertThat(cache.learned()).isOne();
    }

    @Test
    void aDenialAppliesOnlyToRequestsAtLeastAsCostly() {
        cache.learn(denied(1, 5, 300_000), NOW);
        assertThat(cache.denies(check(1, 4), NOW)).isFalse();
        assertThat(cache.denies(check(1, 5), NOW)).isTrue();
        Check costlier = check(1, 6);
        assertThat(cache.denies(costlier, NOW)).isTrue();
        assertThat(costlier.outcome.retryAfter)
                .as("one more flows in every six seconds")
                .isEqualTo(6_300_000);
        Check never = check(1, 11);
        assertThat(cache.denies(never, NOW)).isTrue();
        assertThat(never.outcome.retryAfter).isEqualTo(Outcome.NEVER);
    }

    @Test
    void aSlidingWindowDoesNotTellWhenACostlierRequestFits() {
        for (Limit limit : List.of(
                Limit.slidingWindow(10, Duration.ofMinutes(1)),
                Limit.slidingWindow(10, Duration.ofMinutes(1)).withSubWindows(6),
                Limit.slidingWindowLog(10, Duration.ofMinutes(1)))) {
            Meter meter = Meters.of(limit);
            cache.clear();
            cache.learn(under(meter, denied(1, 2, 300_000)), NOW);
            assertThat(cache.denies(under(meter, check(1, 2)), NOW)).isTrue();
            assertThat(cache.denies(under(meter, check(1, 3)), NOW)).isFalse();
            assertThat(cache.stillDenies(under(meter, check(1, 3)), NOW)).isTrue();
            Check never = under(meter, check(1, 11));
            assertThat(cache.denies(never, NOW)).isTrue();
            assertThat(never.outcome.retryAfter).isEqualTo(Outcome.NEVER);

            cache.learn(under(meter, denied(1, 3, 900_000)), NOW + 299_999);
            assertThat(cache.denies(under(meter, check(1, 2)), NOW + 299_999))
                    .as("what is known of two outlives what is heard of three")
                    .isTrue();
            cache.learn(under(meter, denied(1, 3, 900_000)), NOW + 300_000);
            assertThat(cache.denies(under(meter, check(1, 3)), NOW + 300_000)).isTrue();
        }
    }

    private static Check under(Meter meter, Check check) {
        check.meter = meter;
        return check;
    }

    @Test
    void aDenialAppliesOnlyToItsLimit() {
        cache.learn(denied(1, 1, 300_000), NOW);
        Check other = check(1, 1);
        other.meter = TWENTY;
        assertThat(cache.denies(other, NOW)).isFalse();
    }

    @Test
    void onceASecondOneRequestReValidatesTheDenial() {
        cache.learn(denied(1, 1, 10 * SECOND), NOW);
        assertThat(cache.denies(check(1, 1), NOW + SECOND - 1)).isTrue();
        assertThat(cache.denies(check(1, 1), NOW + SECOND)).isFalse();
        assertThat(cache.denies(check(1, 1), NOW + SECOND)).as("the others").isTrue();
        assertThat(cache.denies(check(1, 1), NOW + 2 * SECOND)).isFalse();
    }

    @Test
    void aRequestWithoutAnAnswerIsStillDenied() {
        cache.learn(denied(1, 1, 10 * SECOND), NOW);
        assertThat(cache.denies(check(1, 1), NOW + SECOND)).isFalse();
        assertThat(cache.stillDenies(check(1, 1), NOW + SECOND)).isTrue();
        assertThat(cache.stillDenies(check(1, 1), NOW + 10 * SECOND)).isFalse();
    }

    @Test
    void aCostThatNeverFitsIsReplacedByLaterDenials() {
        DenyCache small = new DenyCache(8);
        for (int key = 1; key <= 8; key++) {
            small.learn(denied(key, 99, Outcome.NEVER), NOW);
        }
        long later = NOW + 10 * SECOND;
        for (int key = 11; key <= 18; key++) {
            small.learn(denied(key, 1, 60 * SECOND), later);
        }
        for (int key = 11; key <= 18; key++) {
            assertThat(small.denies(check(key, 1), later)).isTrue();
        }
    }

    @Test
    void aCostThatNeverFitsStaysDenied() {
        cache.learn(denied(1, 99, Outcome.NEVER), NOW);
        Check check = check(1, 100);
        assertThat(cache.stillDenies(check, NOW + 3600 * SECOND)).isTrue();
        assertThat(check.outcome.retryAfter).isEqualTo(Outcome.NEVER);
        assertThat(cache.stillDenies(check(1, 98), NOW)).isFalse();
    }

    @Test
    void aGiveBackAPassAndNewRulesClearIt() {
        cache.learn(denied(1, 1, SECOND), NOW);
        cache.learn(check(1, -1), NOW);
        assertThat(cache.denies(check(1, 1), NOW)).isFalse();

        cache.learn(denied(1, 3, SECOND), NOW);
        cache.learn(allowed(1, 2), NOW);
        assertThat(cache.denies(check(1, 3), NOW)).as("less costly").isTrue();
        cache.learn(allowed(1, 3), NOW);
        assertThat(cache.denies(check(1, 3), NOW)).isFalse();

        cache.learn(denied(1, 1, SECOND), NOW);
        cache.learn(denied(2, 1, SECOND), NOW);
        cache.clear();
        assertThat(cache.denies(check(1, 1), NOW)).isFalse();
        assertThat(cache.denies(check(2, 1), NOW)).isFalse();
    }

    @Test
    void aProbeIsNotCached() {
        cache.learn(denied(1, 0, SECOND), NOW);
        assertThat(cache.denies(check(1, 0), NOW)).isFalse();
        assertThat(cache.denies(check(1, 1), NOW)).isFalse();
    }

    @Test
    void aFullCacheForgetsTheDenialThatEndsFirst() {
        DenyCache small = new DenyCache(8);
        for (int i = 1; i <= 9; i++) {
            small.learn(denied(i, 1, i * 100_000L), NOW);
        }
        assertThat(small.denies(check(1, 1), NOW)).isFalse();
        for (int i = 2; i <= 9; i++) {
            assertThat(small.denies(check(i, 1), NOW)).isTrue();
        }
    }

    @Test
    void readersNeverSeeHalfADenial() throws Exception {
        DenyCache small = new DenyCache(8);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CountDownLatch ready = new CountDownLatch(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int seed = t;
            results.add(threads.submit(() -> {
                Random random = new Random(seed);
                ready.countDown();
                ready.await();
                int torn = 0;
                for (int i = 0; i < 100_000; i++) {
                    // Each key has its own hits and retry-after: an entry of two keys would show.
                    int key = 1 + random.nextInt(20);
                    if (random.nextInt(3) == 0) {
                        small.learn(denied(key, key, key * 1_000L), NOW);
                    } else {
                        Check check = check(key, key);
                        boolean denies = small.stillDenies(check, NOW);
                        torn += denies && check.outcome.retryAfter != key * 1_000L ? 1 : 0;
                        torn += denies && check.outcome.remaining != key - 1 ? 1 : 0;
                    }
                }
                return torn;
            }));
        }
        for (Future<Integer> each : results) {
            assertThat(each.get(30, TimeUnit.SECONDS)).isZero();
        }
        threads.shutdown();
        assertThat(small.answered()).isPositive();
    }
}
