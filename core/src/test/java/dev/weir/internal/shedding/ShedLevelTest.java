package dev.weir.internal.shedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ShedLevelTest {
    private static final int TEST = 0;
    private static final int READ = 1;
    private static final int WRITE = 2;
    private static final double RESERVE = 0.2;
    /** The calls of each priority in a tick: 100, 600 and 300. */
    private static final long[] OFFERED = {100, 600, 300};

    private final ShedLevel level = new ShedLevel();

    /** Ticks in which the counter lets {@code room} of a thousand pass, and no more than the level admits. */
    private void overload(int ticks, long room) {
        for (int i = 0; i < ticks; i++) {
            long asked = Math.round(1_000 * level.level());
            long passed = Math.min(asked, room);
            level.tick(1, asked < room ? (double) asked / room : 1, OFFERED, passed, asked - passed, 0, RESERVE);
        }
    }

    private void calm(int ticks) {
        for (int i = 0; i < ticks; i++) {
            level.tick(1, 0.5, OFFERED, Math.round(1_000 * level.level()), 0, 0, RESERVE);
        }
    }

    @Test
    void shedsNobodyUntilTheCounterDenies() {
        calm(100);
        assertThat(level.level()).isEqualTo(1);
        assertThat(level.admitted(TEST)).isEqualTo(1);
    }

    @Test
    void admitsAsMuchAsPassesAndTheMostImportantFirst() {
        overload(50, 600);
        assertThat(level.level()).isEqualTo(0.6, within(0.03));
        assertThat(level.admitted(WRITE)).isEqualTo(1);
        assertThat(level.admitted(READ)).isEqualTo(0.5, within(0.05));
        assertThat(level.admitted(TEST)).isZero();
    }

    @Test
    void shedsWritesLast() {
        overload(50, 100);
        assertThat(level.admitted(WRITE)).isEqualTo(1.0 / 3, within(0.05));
        assertThat(level.admitted(READ)).isZero();
    }

    @Test
    void fewDenialsShedNobody() {
        for (int i = 0; i < 50; i++) {
            level.tick(1, 1, OFFERED, 990, 10, 0, RESERVE);
        }
        assertThat(level.level()).isEqualTo(1);
    }

    @Test
    void aTrickleIsLeftToTheCounter() {
        for (int i = 0; i < 50; i++) {
            level.tick(1, 1, new long[] {0, 1, 0}, 0, 1, 0, RESERVE);
        }
        assertThat(level.level()).isEqualTo(1);
    }

    @Test
    void whatWasShedComesBackAfterFiveSecondsAtTwentyFivePointsASecond() {
        overload(50, 200);
        double cut = level.level();
        calm(50);
        assertThat(level.level()).isEqualTo(cut + 0.05, within(0.01));
        cut = level.level();
        calm(10);
        assertThat(level.level()).isEqualTo(cut + 0.25, within(0.03));
        calm(30);
        assertThat(level.level()).isEqualTo(1);
    }

    @Test
    void aPointASecondComesBackWhileTheServiceIsNearlyFull() {
        overload(50, 200);
        double cut = level.level();
        for (int i = 0; i < 200; i++) {
            level.tick(1, i % 40 == 0 ? 0.91 : 0.5, OFFERED, 200, 0, 0, RESERVE);
        }
        assertThat(level.level()).isEqualTo(cut + 0.2, within(0.01));
    }

    @Test
    void aCutIsNoCliffEither() {
        level.tick(1, 1, OFFERED, 0, 1_000, 0, RESERVE);
        assertThat(level.level()).isEqualTo(0.95);
    }

    @Test
    void anUnknownUsageCountsAsCalmSoThatNobodyIsShedForGood() {
        overload(50, 200);
        level.tick(150, Double.NaN, new long[3], 0, 0, 0, RESERVE);
        assertThat(level.level()).isEqualTo(1);
    }

    @Test
    void theReserveIsLentAsFarAsCriticalTrafficDoesNotNeedIt() {
        level.tick(1, 0.5, OFFERED, 1_000, 0, 0, RESERVE);
        assertThat(level.reserve()).isEqualTo(0.02);
        for (int i = 0; i < 30; i++) {
            level.tick(1, 1, OFFERED, 920, 0, 80, RESERVE);
        }
        double busy = 0.08 * (1 - level.reserve());
        assertThat(level.reserve()).as("beside the 8 %% in use").isEqualTo(0.02 + 0.5 * busy, within(0.005));
        for (int i = 0; i < 30; i++) {
            level.tick(1, 1, OFFERED, 1_000, 0, 0, RESERVE);
        }
        assertThat(level.reserve()).as("room for what may come back").isEqualTo(0.02 + 1.5 * busy, within(0.03));
        level.tick(300, 1, OFFERED, 1_000, 0, 0, RESERVE);
        assertThat(level.reserve())
                .as("lent again, by half of a percent a tick")
                .isBetween(0.02, 0.06);
    }

    @Test
    void neverMoreThanTheReserveAsWrittenIsKeptFree() {
        for (int i = 0; i < 30; i++) {
            level.tick(1, 1, OFFERED, 100, 0, 900, RESERVE);
        }
        assertThat(level.reserve())
                .as("critical requests use more than the reserve")
                .isEqualTo(0.02);
        for (int i = 0; i < 50; i++) {
            level.tick(1, 1, OFFERED, 1_000, 0, 0, RESERVE);
        }
        assertThat(level.reserve()).isEqualTo(RESERVE, within(0.01));
        level.tick(1, 1, OFFERED, 1_000, 0, 0, 0);
        assertThat(level.reserve()).as("none is written").isZero();
    }
}
