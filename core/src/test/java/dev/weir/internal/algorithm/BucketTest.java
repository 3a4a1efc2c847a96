package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Algorithm;
import dev.weir.Limit;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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

    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "GCRA"})
    void hitsBeyondTheBurstPassOnCreditAndAreRepaid(Algorithm algorithm) {
        Limit limit =
                Limit.of(algorithm, 10, Duration.ofSeconds(1)).withBurst(5).withCredit(3);
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.NOW;
        assertThat(counter.take(now, 5))
                .extracting(out -> out.allowed, out -> out.debt)
                .containsExactly(true, 0L);
        assertThat(counter.take(now, 2))
                .extracting(out -> out.allowed, out -> out.debt)
                .containsExactly(true, 2L);
        assertThat(counter.take(now, 2))
                .extracting(out -> out.allowed, out -> out.debt)
                .containsExactly(false, 2L);
        assertThat(counter.out.retryAfter).isEqualTo(SECOND / 10);
        assertThat(counter.ask(now + SECOND / 10 - 1, 2).allowed).isFalse();
        assertThat(counter.take(now + SECOND / 10, 2))
                .extracting(out -> out.allowed, out -> out.debt)
                .containsExactly(true, 3L);
        // Three hits are owed, and repaid after three tenths of a second. Only then anything remains.
        assertThat(counter.ask(now + 4 * SECOND / 10, 0))
                .extracting(out -> out.remaining, out -> out.debt)
                .containsExactly(3L, 0L);
        assertThat(counter.ask(now + 5 * SECOND / 10, 0))
                .extracting(out -> out.remaining, out -> out.debt)
                .containsExactly(4L, 0L);
        assertThat(counter.ask(now, 9).retryAfter).isEqualTo(Outcome.NEVER);
    }

    @Test
    void aRequestOnCreditCostsNoMoreThanOneOfTheBurst() {
        // Every hit in debt keeps its fraction: at nine tenths of the rate, the debt is repaid.
        Limit limit = Limit.tokenBucket(10, Duration.ofSeconds(1)).withBurst(2).withCredit(20);
        MeteredCounter counter = MeteredCounter.of(limit);
        long now = RandomLimits.NOW;
        assertThat(counter.take(now, 22).debt).isEqualTo(20);
        for (int i = 0; i < 180; i++) {
            now += SECOND / 9;
            assertThat(counter.take(now, 1).allowed).isTrue();
        }
        assertThat(counter.out.debt).isLessThanOrEqualTo(1);
    }

    @Test
    void aSettledDebtAddsToTheCredit() {
        Limit limit = Limit.tokenBucket(10, Duration.ofSeconds(1)).withBurst(5).withCredit(3);
        SlotMeter meter = (SlotMeter) Meters.of(limit);
        Outcome out = new Outcome();
        meter.charge(0, 0, RandomLimits.NOW, 20, out);
        assertThat(out.debt).isEqualTo(15);
        meter.apply(out.state0, out.state1, RandomLimits.NOW, 1, false, out);
        assertThat(out)
                .extracting(it -> it.allowed, it -> it.debt, it -> it.retryAfter)
                .containsExactly(false, 15L, 13 * SECOND / 10);
        meter.apply(out.state0, out.state1, RandomLimits.NOW + 13 * SECOND / 10, 1, false, out);
        assertThat(out).extracting(it -> it.allowed, it -> it.debt).containsExactly(true, 3L);
    }

    @Test
    void withoutCreditOnlyChargesMakeADebt() {
        SlotMeter meter = (SlotMeter) Meters.of(Limit.tokenBucket(10, Duration.ofSeconds(1)));
        Outcome out = new Outcome();
        meter.charge(0, 0, RandomLimits.NOW, 12, out);
        assertThat(out.debt).isEqualTo(2);
        meter.apply(0, 0, RandomLimits.NOW, 10, false, out);
        assertThat(out).extracting(it -> it.allowed, it -> it.debt).containsExactly(true, 0L);
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
