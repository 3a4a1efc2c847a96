package dev.weir.internal.shedding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GradientLimitTest {
    private static final int LEARNING = 20;

    private final GradientLimit limit = new GradientLimit(0);

    @Test
    void anUnusedLimitStaysAsItIs() {
        windows(100, 1, 9);
        assertThat(limit.limit()).isEqualTo(20);
        windows(100, 1_000, 9);
        assertThat(limit.limit()).as("slow, but few in flight").isEqualTo(20);
    }

    @Test
    void aUsedLimitRisesWhileCallsAreFast() {
        limit.window(1, 10, 100, 0, false);
        assertThat(limit.limit()).isEqualTo(20 + 0.2 * Math.sqrt(20));
        windows(10_000, 1, 1_000);
        assertThat(limit.limit()).isEqualTo(GradientLimit.MAX);
    }

    @Test
    void aSmallDelayIsNotOverload() {
        windows(LEARNING, 1, 9);
        limit.window(2.5, 20, 100, 0, true);
        assertThat(limit.limit()).isGreaterThan(20);
    }

    @Test
    void slowCallsLowerTheLimitByATenthAWindowAtMost() {
        windows(LEARNING, 1, 9);
        limit.window(5, 20, 100, 0, true);
        assertThat(limit.limit()).isEqualTo(18);
        limit.window(1_000, 20, 100, 0, true);
        assertThat(limit.limit()).isEqualTo(16.2);
    }

    @Test
    void overloadDoesNotBecomeTheNewNormal() {
        windows(LEARNING, 1, 9);
        for (int i = 0; i < 1_000; i++) {
            limit.window(2.4, 20, 100, 0, true); // busy, but not yet overload
        }
        double before = limit.limit();
        limit.window(5, 1_000, 100, 0, true);
        assertThat(limit.limit()).isLessThan(before);
    }

    @Test
    void inCalmTimesTheBaselineFollows() {
        windows(LEARNING, 1, 9);
        windows(1_000, 3, 9);
        limit.window(7, 20, 100, 0, true);
        assertThat(limit.limit()).as("7 is less than 2.5 times 3").isGreaterThan(20);
    }

    @Test
    void aServiceThatBecameSlowerForGoodIsLearntAgain() {
        windows(LEARNING, 1, 9);
        double lowest = 20;
        for (int i = 0; i < 100; i++) {
            // Ten times as slow whatever the limit is: a lower limit only costs throughput.
            limit.window(10, (int) Math.ceil(limit.limit()), limit.limit() / 10, 0, true);
            lowest = Math.min(lowest, limit.limit());
        }
        assertThat(lowest).isLessThan(10);
        assertThat(limit.limit()).isGreaterThan(lowest + 5);
    }

    @Test
    void atItsMinimumTheLimitIsLearntAgainToo() {
        windows(LEARNING, 1, 9);
        for (int i = 0; i < 16; i++) {
            limit.window(100, 20, 10, 0, true);
        }
        assertThat(limit.limit()).isEqualTo(GradientLimit.MIN);
        for (int i = 0; i < 20; i++) {
            limit.window(100, 20, 10, 0, true);
        }
        assertThat(limit.limit()).isGreaterThan(GradientLimit.MIN + 3);
    }

    @Test
    void timeoutsLowerTheLimitEvenIfTheyLookNormal() {
        windows(LEARNING, 1, 9);
        limit.window(1, 10, 100, 0.05, true);
        double allowed = limit.limit();
        assertThat(allowed).isGreaterThan(20);
        limit.window(1, 20, 100, 0.06, true);
        assertThat(limit.limit()).isLessThan(allowed);
    }

    @Test
    void aToleratedLatencyIsNeverOverload() {
        GradientLimit tolerant = new GradientLimit(50);
        assertThat(tolerant.limit()).isEqualTo(GradientLimit.MAX);
        for (int i = 0; i < LEARNING; i++) {
            tolerant.window(1, 9, 100, 0, false);
        }
        tolerant.window(50, 900, 100, 0, true);
        assertThat(tolerant.limit()).isEqualTo(GradientLimit.MAX);
        tolerant.window(100, 900, 100, 0, true);
        assertThat(tolerant.limit()).isEqualTo(900);
    }

    private void windows(int number, double latency, int most) {
        for (int i = 0; i < number; i++) {
            limit.window(latency, most, 100, 0, false);
        }
    }
}
