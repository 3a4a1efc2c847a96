package dev.weir.simulation.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The sampler draws what the law says. */
class ZipfTest {

    @Test
    void drawsEachAsOftenAsItsShare() {
        for (double exponent : new double[] {0.5, 1.0, 1.5}) {
            Zipf zipf = new Zipf(1_000, exponent);
            SplittableRandom random = new SplittableRandom(1);
            int[] drawn = new int[1_000];
            int draws = 500_000;
            for (int i = 0; i < draws; i++) {
                drawn[zipf.next(random)]++;
            }
            for (int caller : new int[] {0, 1, 2, 9, 99, 999}) {
                double expected = zipf.share(caller) * draws;
                assertThat((double) drawn[caller])
                        .as("exponent %s, caller %d", exponent, caller)
                        .isCloseTo(expected, within(6 * Math.sqrt(expected) + 1));
            }
        }
    }

    @Test
    void fiveMillionCallersCostNoMemory() {
        Zipf zipf = new Zipf(5_000_000, 1.0);
        SplittableRandom random = new SplittableRandom(1);
        int largest = 0;
        for (int i = 0; i < 100_000; i++) {
            int caller = zipf.next(random);
            assertThat(caller).isBetween(0, 4_999_999);
            largest = Math.max(largest, caller);
        }
        assertThat(largest).isGreaterThan(4_000_000);
    }
}
