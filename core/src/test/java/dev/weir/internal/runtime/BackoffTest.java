package dev.weir.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {
    private static Backoff afterFailures(int failures) {
        Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2));
        for (int i = 0; i < failures; i++) {
            backoff.nextNanos();
        }
        return backoff;
    }

    @ParameterizedTest
    @CsvSource({"0, 50", "1, 100", "4, 800", "6, 2000", "60, 2000"})
    void waitsAreSpreadOverAllOfTheirBound(int failures, long boundMillis) {
        long bound = TimeUnit.MILLISECONDS.toNanos(boundMillis);
        int[] tenths = new int[10];
        for (int i = 0; i < 10_000; i++) {
            long wait = afterFailures(failures).nextNanos();
            assertThat(wait).isBetween(1L, bound);
            tenths[(int) ((wait - 1) * 10 / bound)]++;
        }
        assertThat(IntStream.of(tenths)).allSatisfy(each -> assertThat(each).isBetween(800, 1_200));
    }

    @Test
    void successStartsOver() {
        Backoff backoff = afterFailures(60);
        backoff.reset();
        assertThat(backoff.nextNanos())
                .isLessThanOrEqualTo(Duration.ofMillis(50).toNanos());
    }

    @Test
    void aBoundShorterThanTheFirstWaitHolds() {
        assertThat(new Backoff(Duration.ofMillis(100), Duration.ofNanos(1)).nextNanos())
                .isEqualTo(1);
    }
}
