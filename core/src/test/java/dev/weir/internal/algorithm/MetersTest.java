package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Algorithm;
import dev.weir.Limit;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MetersTest {
    private static final Duration MONTH = Duration.ofDays(30);

    @Test
    void refusesLimitsThatItsStateCannotHold() {
        assertThat(refusal(Limit.tokenBucket(1, Duration.ofSeconds(1)).withBurst(1L << 32)))
                .isEqualTo("burst: 4294967296 (expected: <= 4294967295, what a bucket can hold)");
        assertThat(refusal(Limit.slidingWindow(1L << 32, Duration.ofSeconds(1))))
                .isEqualTo("requests: 4294967296 (expected: <= 4294967295)");
        assertThat(refusal(Limit.fixedWindow(1L << 53, Duration.ofSeconds(1))))
                .startsWith("requests: 9007199254740992 (expected: <");
        assertThat(refusal(Limit.of(Algorithm.SLIDING_WINDOW_LOG, 10_001, Duration.ofSeconds(1))))
                .startsWith("requests: 10001 (expected: <= 10000 for sliding_window_log");
        assertThat(refusal(Limit.fixedWindow(1, Duration.ofDays(40_000)))).startsWith("window: ");
    }

    @Test
    void refusesSubWindowsThatDoNotDivideTheWindow() {
        assertThat(refusal(Limit.slidingWindow(1, Duration.ofSeconds(1)).withSubWindows(7)))
                .isEqualTo("sub_windows: 7 (expected: a number that divides the window of 1000000 microseconds)");
        assertThat(refusal(Limit.slidingWindow(1, Duration.ofSeconds(1)).withSubWindows(1_001)))
                .isEqualTo("sub_windows: 1001 (expected: <= 1000)");
    }

    @Test
    void refusesLimitsThatCannotBeCountedExactlyAndGivesARemedy() {
        assertThat(refusal(Limit.tokenBucket(50_000_017, MONTH)))
                .contains("cannot be counted exactly")
                .contains("rounder numbers");
        assertThat(refusal(Limit.slidingWindow(50_000_000, MONTH))).contains("fewer requests or a shorter window");
        assertThat(refusal(Limit.tokenBucket(1, MONTH).withBurst(100_000))).contains("more than a century");
        assertThatThrownBy(() -> Meters.of(Limit.slidingWindow(50_000_000, MONTH)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be counted exactly");
    }

    @Test
    void countsRoundNumbersOverLongWindows() {
        assertThat(Meters.refusal(Limit.tokenBucket(50_000_000, MONTH))).isNull();
        assertThat(Meters.refusal(Limit.tokenBucket(1_000_000_000, Duration.ofDays(365))))
                .isNull();
        assertThat(Meters.refusal(Limit.slidingWindow(1_000_000, MONTH))).isNull();
    }

    @Test
    void takesTheFinestTickThatCountsExactly() {
        assertThat(Meters.of(Limit.tokenBucket(1_000, Duration.ofSeconds(1))).tickMicros())
                .isEqualTo(1);
        assertThat(Meters.of(Limit.tokenBucket(7, Duration.ofDays(1))).tickMicros())
                .isEqualTo(10);
        assertThat(Meters.of(Limit.slidingWindow(1_000_000, Duration.ofDays(1))).tickMicros())
                .isEqualTo(10);
    }

    private static String refusal(Limit limit) {
        return Objects.requireNonNull(Meters.refusal(limit));
    }
}
