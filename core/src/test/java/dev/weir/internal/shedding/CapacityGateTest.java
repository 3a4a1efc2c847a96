package dev.weir.internal.shedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.LoadShedder.Priority;
import dev.weir.internal.shedding.CapacityGate.Fate;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CapacityGateTest {
    private static final long TICK = 100_000;
    private static final long START = 1_800_000_000_000_000L;

    private final CapacityGate gate = new CapacityGate();
    private long now = START;

    /** Ticks in which half of the writes and reads pass, and the counter denies the rest. */
    private void overload(int ticks) {
        for (int i = 0; i < ticks; i++) {
            for (int j = 0; j < 50; j++) {
                gate.decided(Priority.READ, 1, j % 2 == 0 ? Fate.PASSED : Fate.DENIED, 1, now);
                gate.decided(Priority.WRITE, 1, j % 2 == 0 ? Fate.PASSED : Fate.DENIED, 1, now);
            }
            now += TICK;
        }
    }

    private double shedPart(Priority priority) {
        SplittableRandom random = new SplittableRandom(1);
        int shed = 0;
        for (int i = 0; i < 10_000; i++) {
            shed += gate.sheds(priority, random.nextInt()) ? 1 : 0;
        }
        return shed / 10_000.0;
    }

    @Test
    void shedsByPriorityAndNeverCriticalOnes() {
        overload(20);
        assertThat(gate.isShedding()).isTrue();
        assertThat(gate.admitted()).isEqualTo(0.5, within(0.01));
        assertThat(shedPart(Priority.TEST)).isEqualTo(1);
        assertThat(shedPart(Priority.READ)).isEqualTo(1, within(0.02));
        assertThat(shedPart(Priority.WRITE)).isEqualTo(0, within(0.02));
        assertThat(shedPart(Priority.CRITICAL)).isZero();
    }

    @Test
    void callersKeepTheirPlaceForAnHour() {
        overload(20);
        gate.decided(Priority.TEST, 1_000, Fate.SHED, 1, now + TICK);
        int caller = caller(true);
        overload(20);
        assertThat(gate.sheds(Priority.READ, caller)).isTrue();
    }

    private int caller(boolean shed) {
        SplittableRandom random = new SplittableRandom(1);
        for (; ; ) {
            int caller = random.nextInt();
            if (gate.sheds(Priority.READ, caller) == shed) {
                return caller;
            }
        }
    }

    @Test
    void theReserveMovesInSteps() {
        gate.setReserve(200);
        assertThat(gate.reservedSteps()).as("2 %%, rounded up to 2.5").isEqualTo(1);
        for (int i = 0; i < 30; i++) {
            gate.decided(Priority.WRITE, 90, Fate.PASSED, 1, now);
            gate.decided(Priority.CRITICAL, 10, Fate.PASSED, 1, now);
            now += TICK;
        }
        assertThat(gate.reservedSteps()).as("2 %% + half of 10 %%").isEqualTo(3);
        gate.setReserve(50);
        assertThat(gate.reservedSteps()).isEqualTo(2);
    }

    @Test
    void aClockThatIsSetBackStopsNothing() {
        overload(5);
        now -= 3_600_000_000L;
        overload(20);
        assertThat(gate.isShedding()).isTrue();
        assertThat(gate.usage(now)).isEqualTo(1);
        assertThat(gate.usage(now + 2_000_000)).isNaN();
    }

    @Test
    void countsWhomItSheds() {
        gate.decided(Priority.TEST, 3, Fate.SHED, Double.NaN, now);
        assertThat(gate.shed(Priority.TEST)).isEqualTo(1);
        assertThat(gate.shed(Priority.READ)).isZero();
        assertThat(gate.shed(Priority.CRITICAL)).isZero();
    }
}
