package dev.weir.text.fields;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({"10ms,10000", "2s,2000000", "1m,60000000", "1h,3600000000", "1d,86400000000", "250us,250"})
    void aDurationIsANumberAndAUnitBothWays(String text, long micros) {
        assertThat(Durations.micros(text)).isEqualTo(micros);
        assertThat(Durations.text(micros)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-1s", "1.5s", "1 s", "1S", "1min", "0x1s", "1s ", "٣s", "99999999999999999999s"})
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Durations.micros(text));
    }

    @Test
    void aNumberWithoutAUnitIsAskedForOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Durations.micros("60"))
                .withMessage("no unit; did you mean 60s?");
    }
}
