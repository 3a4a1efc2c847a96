package dev.weir.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import org.junit.jupiter.api.Test;

class StoreClockTest {
    private static final long OFFSET = 1_700_000_000_000_000L;
    private final StoreClock clock = new StoreClock();

    /** A round trip that began at {@code sent} microseconds; Redis looked at its clock {@code there} microseconds later. */
    private void sample(long sent, long there, long back, long offset) {
        clock.sample(sent * 1_000, (sent + there + back) * 1_000, sent + there + offset);
    }

    @Test
    void theShortestRoundTripTellsTheTime() {
        sample(0, 5_000, 100, OFFSET);
        assertThat(clock.at(0)).isCloseTo(OFFSET, offset(2_600L));
        sample(10_000, 50, 50, OFFSET);
        assertThat(clock.at(0)).isCloseTo(OFFSET, offset(60L));
        sample(20_000, 100, 9_000, OFFSET);
        assertThat(clock.at(0)).isCloseTo(OFFSET, offset(60L));
    }

    @Test
    void aClockThatWasSetIsBelievedAtOnce() {
        sample(0, 50, 50, OFFSET);
        sample(10_000, 3_000, 3_000, OFFSET + 3_600_000_000L);
        assertThat(clock.at(0)).isCloseTo(OFFSET + 3_600_000_000L, offset(3_100L));
    }

    @Test
    void anOldIntervalIsForgottenBecauseClocksDrift() {
        sample(0, 50, 50, OFFSET);
        sample(31_000_000, 400, 400, OFFSET + 1_000);
        assertThat(clock.at(0)).isCloseTo(OFFSET + 1_000, offset(410L));
    }

    @Test
    void anotherConnectionKnowsNothing() {
        sample(0, 50, 50, OFFSET);
        assertThat(clock.known()).isTrue();
        clock.forget();
        assertThat(clock.known()).isFalse();
    }
}
