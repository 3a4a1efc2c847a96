package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Buckets where they differ from each other, and over long histories. */
class BucketTest {
    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @CsvSource({
        "3, PT1S, 3",
        "7, PT11S, 20",
        "2000000, PT1S, 2000000",
        "1000007, PT24H, 1000007",
        "1, PT1H, 5",
        "999999937, PT1M, 100000"
    })
    void doesNotDriftOverALongHistory(long requests, Duration window, long burst) {
        Limit limit = Limit.tokenBucket(requests, window).withBurst(burst);
        MeteredCounter counter = MeteredCounter.of(limit);
        ReferenceMeter model = ReferenceMeter.of(limit, counter.meter().tickMicros());
        Random random = new Random(42);
        long interval = Math.max(1, limit.windowMicros() / requests);
        long now = RandomLimits.NOW;
        for (int i = 0; i < 20_000; i++) {
            now += random.nextLong(3 * interval);
            long hits = random.nextInt(10) == 0 ? random.nextLong(burst + 1) : 1 + random.nextInt(2);
            long free = model.free(now);
            Outcome out = counter.take(now, hits);
            assertThat(out.allowed).isEqualTo(hits <= free);
            if (out.allowed) {
                model.add(now, hits);
                free -= hits;
            }
            assertThat(out.remaining).isEqualTo(free);
        }
    }

    @Test
    void threeASecondIsThreeHundredThousandInAHundredThousandSeconds() {
        MeteredCounter counter =
                MeteredCounter.of(Limit.tokenBucket(3, Duration.ofSeconds(1)).withBurst(2));
        long now = RandomLimits.NOW;
        for (int i = 0; i < 300_000; i++) {
            Outcome out = counter.take(now, 1);
            if (!out.allowed) {
                now += out.retryAfter;
                assertThat(counter.take(now, 1).allowed).isTrue();
            }
        }
        assertThat(now - RandomLimits.NOW).isBetween(99_999 * SECOND, 100_000 * SECOND);
    }

    @Test
    void aLeakyBucketSpacesOutAdmittedHits() {
        MeteredCounter counter = MeteredCounter.of(
                Limit.of(Algorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1)).withBurst(4));
        for (long ahead = 0; ahead < 4; ahead++) {
            Outcome out = counter.take(RandomLimits.NOW, 1);
            assertThat(out.allowed).isTrue();
            assertThat(out.delay).isEqualTo(ahead * SECOND / 10);
        }
        Outcome full = counter.take(RandomLimits.NOW, 1);
        assertThat(full.allowed).isFalse();
        assertThat(full.delay).isZero();
        assertThat(full.retryAfter).isEqualTo(SECOND / 10);
        assertThat(counter.take(RandomLimits.NOW + SECOND / 10, 1).delay).isEqualTo(3 * SECOND / 10);
    }

    @Test
    void aLeakyBucketDelaysNeitherProbesNorReturnedHits() {
        MeteredCounter counter = MeteredCounter.of(Limit.of(Algorithm.LEAKY_BUCKET, 10, Duration.ofSeconds(1)));
        counter.take(RandomLimits.NOW, 5);
        assertThat(counter.ask(RandomLimits.NOW, 0).delay).isZero();
        assertThat(counter.ask(RandomLimits.NOW, -1).delay).isZero();
    }

    @Test
    void noOtherBucketDelays() {
        for (Algorithm algorithm : new Algorithm[] {Algorithm.TOKEN_BUCKET, Algorithm.GCRA}) {
            MeteredCounter counter = MeteredCounter.of(Limit.of(algorithm, 10, Duration.ofSeconds(1)));
            counter.take(RandomLimits.NOW, 5);
            assertThat(counter.take(RandomLimits.NOW, 1).delay).isZero();
        }
    }

    @Test
    void aLimitOfNothingDeniesEveryHitWhateverItsBurst() {
        MeteredCounter counter =
                MeteredCounter.of(Limit.tokenBucket(0, Duration.ofSeconds(1)).withBurst(5));
        Outcome out = counter.take(RandomLimits.NOW, 1);
        assertThat(out.allowed).isFalse();
        assertThat(out.retryAfter).isEqualTo(Outcome.NEVER);
        assertThat(counter.take(RandomLimits.NOW, 0).allowed).isTrue();
    }

    @Test
    void hitsBeyondALoweredBurstAreForgiven() {
        MeteredCounter counter = MeteredCounter.of(Limit.tokenBucket(1_000, Duration.ofSeconds(1)));
        counter.take(RandomLimits.NOW, 900);
        Outcome out =
                counter.changedTo(Limit.tokenBucket(10, Duration.ofSeconds(1))).take(RandomLimits.NOW, 1);
        assertThat(out.allowed).isFalse();
        assertThat(out.retryAfter).isEqualTo(SECOND / 10);
    }
}
