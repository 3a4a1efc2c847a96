package dev.weir.server.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteadyStateDetectorTest {
    private static final long GOOD = Duration.ofMillis(5).toNanos();

    private final SteadyStateDetector steady = new SteadyStateDetector(GOOD);

    SteadyStateDetectorTest() {
        steady.restart();
    }

    @Test
    void isReachedAfterManyQuickBatchesInARow() {
        add(99, GOOD);
        assertThat(steady.isReached()).isFalse();
        steady.add(GOOD);
        assertThat(steady.isReached()).isTrue();
    }

    @Test
    void startsAgainAfterASlowBatch() {
        add(99, GOOD / 5);
        steady.add(GOOD + 1);
        add(99, GOOD / 5);
        assertThat(steady.isReached()).isFalse();
    }

    @Test
    void judgesADistantStoreByItsBestTime() {
        steady.add(4 * GOOD);
        add(100, 11 * GOOD);
        assertThat(steady.isReached()).isTrue();
    }

    @Test
    void restartForgetsEarlierBatches() {
        add(100, GOOD);
        steady.restart();
        assertThat(steady.isReached()).isFalse();
    }

    private void add(int count, long nanos) {
        for (int i = 0; i < count; i++) {
            steady.add(nanos);
        }
    }
}
