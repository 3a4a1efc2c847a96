package dev.weir.internal.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainDurationTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1us",
        "1500, 1ms 500us",
        "1500000, 1s 500ms",
        "60000000, 1m",
        "90000000, 1m 30s",
        "3600000000, 1h",
        "604800000000, 7d"
    })
    void aWindowIsToldInFull(long micros, String text) {
        assertThat(PlainDuration.exact(micros)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ms",
        "250000, 250ms",
        "999001, 1s",
        "11800000, 12s",
        "12000000, 12s",
        "89000001, 1m 30s",
        "3599000001, 1h",
        "3600000001, 1h 1m",
        "86399999999, 1d",
        "90000000001, 1d 2h"
    })
    void aWaitIsRoundedUp(long micros, String text) {
        assertThat(PlainDuration.roundedUp(micros)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.000000999S, 999ns",
        "PT11.817972S, 11s 817ms 972us",
        "PT1H0.000000001S, 1h 1ns",
        "PT-1.5S, -1s 500ms",
        "PT2562047788015215H, 106751991d 4h 54s"
    })
    void aDurationIsToldInFull(Duration duration, String text) {
        assertThat(PlainDuration.exact(duration)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"9223372036854775807", "9223372036854775000"})
    void theLongestWaitDoesNotOverflow(long micros) {
        assertThat(PlainDuration.roundedUp(micros)).startsWith("106751991d");
    }
}
