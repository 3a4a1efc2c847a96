package dev.weir.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EscalationTest {
    private static final long MINUTE = 60_000_000;
    private static final Escalation TEN_MINUTES =
            new Escalation(5, 10 * MINUTE, 10 * MINUTE, 2, 24 * 60 * MINUTE, 7 * 24 * 60 * MINUTE, List.of("ip"), 64);

    @Test
    void eachBanLastsTwiceAsLongUpToTheLongest() {
        assertThat(TEN_MINUTES.duration(1, 0)).isEqualTo(10 * MINUTE);
        assertThat(TEN_MINUTES.duration(2, 0)).isEqualTo(20 * MINUTE);
        assertThat(TEN_MINUTES.duration(8, 0)).isEqualTo(1280 * MINUTE);
        assertThat(TEN_MINUTES.duration(9, 0)).isEqualTo(1440 * MINUTE);
        assertThat(TEN_MINUTES.duration(Long.MAX_VALUE, 0)).isEqualTo(1440 * MINUTE);
    }

    @Test
    void jitterShortensABanByATenthAtMost() {
        assertThat(TEN_MINUTES.duration(1, 1)).isEqualTo(9 * MINUTE);
        assertThat(TEN_MINUTES.duration(1, 0.5)).isEqualTo(10 * MINUTE - MINUTE / 2);
        assertThat(TEN_MINUTES.duration(20, 1)).isEqualTo(1296 * MINUTE);
    }

    @Test
    void aFactorOfOneKeepsTheLength() {
        Escalation steady = new Escalation(1, 1, MINUTE, 1, 10 * MINUTE, 1, List.of("ip"), 64);
        assertThat(steady.duration(Long.MAX_VALUE, 0)).isEqualTo(MINUTE);
    }
}
