package dev.weir.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Parts of a window, at their edges and when they are changed live. */
class SubWindowsTest {
    private static final long SECOND = 1_000_000;
    private static final long MINUTE = RandomLimits.NOW / (60 * SECOND) * (60 * SECOND);

    @Test
    void aHitCountsForAWindowAndTheRestOfItsSubWindow() {
        MeteredCounter counter = MeteredCounter.of(minute(1, 6));
        Outcome out = counter.take(MINUTE + 3 * SECOND, 1);
        assertThat(out.reset).isEqualTo(67 * SECOND);
        assertThat(counter.ask(MINUTE + 70 * SECOND - 1, 1).allowed).isFalse();
        assertThat(counter.ask(MINUTE + 70 * SECOND, 1).allowed).isTrue();
    }

    @Test
    void moreAndFewerSubWindowsKeepTheUsedHits() {
        MeteredCounter counter = MeteredCounter.of(minute(100, 6));
        for (int part = 0; part < 6; part++) {
            counter.take(MINUTE + part * 10L * SECOND, 5);
        }
        long now = MINUTE + 50 * SECOND;
        for (int parts : new int[] {60, 3, 1_000, 2}) {
            MeteredCounter changed = counter.changedTo(minute(100, parts));
            assertThat(changed.ask(now, 0).remaining).isEqualTo(70);
            assertThat(changed.take(now, 1).remaining).isEqualTo(69);
            assertThat(changed.take(now, -31).remaining).isEqualTo(100);
        }
    }

    @Test
    void givesBackInABlockTooShortForNewSubWindows() {
        MeteredCounter counter = MeteredCounter.of(minute(100, 2));
        counter.take(MINUTE, 10);
        MeteredCounter finer = counter.changedTo(minute(100, 60));
        assertThat(finer.take(MINUTE, -4).remaining).isEqualTo(94);
        assertThat(finer.take(MINUTE, -100).remaining).isEqualTo(100);
    }

    @Test
    void droppedSubWindowsDoNotComeBack() {
        MeteredCounter counter = MeteredCounter.of(minute(100, 6));
        counter.take(MINUTE, 10);
        MeteredCounter shorter = counter.changedTo(
                Limit.slidingWindow(100, Duration.ofSeconds(20)).withSubWindows(2));
        shorter.take(MINUTE + 50 * SECOND, 1);
        assertThat(shorter.changedTo(minute(100, 6)).ask(MINUTE + 50 * SECOND, 0).remaining)
                .isEqualTo(99);
    }

    @Test
    void subWindowsChangedWhileTheClockIsBehindKeepTheirCounts() {
        long start = 65 * 60 * SECOND * 400_000;
        MeteredCounter counter = MeteredCounter.of(
                Limit.slidingWindow(10, Duration.ofSeconds(130)).withSubWindows(2));
        counter.take(start + 64 * SECOND, 3);
        counter.take(start + 131 * SECOND, 4);
        MeteredCounter finer = counter.changedTo(minute(10, 10));
        assertThat(finer.take(start + 100 * SECOND, 1).remaining).isEqualTo(2);
        assertThat(finer.ask(start + 100 * SECOND, 0).remaining).isEqualTo(2);
    }

    private static Limit minute(long requests, int parts) {
        return Limit.slidingWindow(requests, Duration.ofMinutes(1)).withSubWindows(parts);
    }
}
