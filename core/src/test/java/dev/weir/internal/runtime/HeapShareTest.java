package dev.weir.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapShareTest {
    /** 100,000 holds, which are bounded by their number. */
    private static final long HOLDS = 16L << 20;

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1_024, 2_048, 8_192, 65_536})
    void allSharesTogetherLeaveAnEighthOfTheHeap(int mebibytes) {
        long heap = (long) mebibytes << 20;
        long sum = Arrays.stream(HeapShare.values())
                .mapToLong(each -> each.of(heap))
                .sum();
        assertThat(sum + HOLDS).isLessThanOrEqualTo(heap / 64 * HeapShare.MOST_OF_64);
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 2_048})
    void everyShareIsLargeEnoughForWhatItHolds(int mebibytes) {
        long heap = (long) mebibytes << 20;
        assertThat(HeapShare.values())
                .allSatisfy(each -> assertThat(each.of(heap)).isGreaterThanOrEqualTo(4L << 20));
    }
}
