package dev.weir.control.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimesTest {
    @Test
    void aTimeIsReadToTheMillisecond() {
        assertThat(Times.parse("2025-02-01T01:00:00.123456+01:00")).isEqualTo("2025-02-01T00:00:00.123Z");
        assertThat(Times.parse("9999-12-31T23:59:59.9999Z")).isEqualTo("9999-12-31T23:59:59.999Z");
        assertThat(Times.parse("0001-01-01T00:00:00Z")).isEqualTo(Instant.parse("0001-01-01T00:00:00Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "+999999999-12-31T23:59:59Z",
                "+10000-01-01T00:00:00Z",
                "9999-12-31T23:59:59-01:00",
                "0000-12-31T23:59:59Z",
                "-999999999-01-01T00:00:00Z",
                "2025-02-01",
                "soon"
            })
    void whatADatabaseMightNotHoldIsNone(String text) {
        assertThatThrownBy(() -> Times.parse(text)).isInstanceOf(DateTimeException.class);
    }
}
