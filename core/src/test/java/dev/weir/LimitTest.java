package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LimitTest {
    private static final Limit MONTHLY = Limit.tokenBucket(4_000_000, Duration.ofDays(30));

    @Test
    void manyHitsFlowIntoALongWindowInTheirTimeToo() {
        long day = Duration.ofDays(1).toMillis() * 1_000;
        assertThat(MONTHLY.inflowMicros(1)).isEqualTo(30 * day / 4_000_000);
        assertThat(MONTHLY.inflowMicros(2_000_000)).isEqualTo(15 * day);
        assertThat(MONTHLY.inflowMicros(2_000_001)).isEqualTo(15 * day + 30 * day / 4_000_000);
    }

    @Test
    void whatWouldHaveNoEffectIsRefused() {
        assertThatThrownBy(() -> Limit.fixedWindow(5, Duration.ofSeconds(1)).withBurst(7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("burst: 7 (expected: none, for fixed_window has no bucket)");
        assertThatThrownBy(() -> MONTHLY.withSubWindows(6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sub_windows: 6 (expected: none, for token_bucket counts in none)");
    }

    @Test
    void timesThatNobodyLivesToSeeAreNotAddedUpToThePast() {
        long forever = MONTHLY.inflowMicros(Long.MAX_VALUE);
        assertThat(forever).isGreaterThan(Duration.ofDays(36_500).toMillis() * 1_000);
        assertThat(forever + forever).isPositive();
        assertThat(Limit.tokenBucket(0, Duration.ofDays(30)).inflowMicros(1)).isZero();
    }
}
