package dev.weir.server.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteadyStateDetectorTest {
    private static final long GOOD = Duration.ofMillis(5).toNanos();

    private final SteadyStateDetector calm = new SteadyStateDetector(GOOD);

    SteadyStateDetectorTest() {
        calm.begin();
    }

    @Test
    void comesAfterManyGoodWavesInARow() {
        waves(99, GOOD);
        assertThat(calm.isReached()).isFalse();
        calm.wave(GOOD);
        assertThat(calm.isReached()).isTrue();
    }

    @Test
    void oneSlowWaveBeginsItAnew() {
        waves(99, GOOD / 5);
        calm.wave(GOOD + 1);
        waves(99, GOOD / 5);
        assertThat(calm.isReached()).isFalse();
    }

    @Test
    void aStoreFarAwayIsMeasuredByItsBest() {
        calm.wave(4 * GOOD);
        waves(100, 11 * GOOD);
        assertThat(calm.isReached()).isTrue();
    }

    @Test
    void otherCallsHaveToBeCalmThemselves() {
        waves(100, GOOD);
        calm.begin();
        assertThat(calm.isReached()).isFalse();
    }

    private void waves(int count, long nanos) {
        for (int i = 0; i < count; i++) {
            calm.wave(nanos);
        }
    }
}
