package dev.weir.control.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresUrlTest {
    @ParameterizedTest
    @CsvSource({
        "postgresql://u:p@host/x, jdbc:postgresql://host:5432/x",
        "postgres://weir_db:15432/x?sslmode=require, jdbc:postgresql://weir_db:15432/x?sslmode=require",
        "'postgresql://u@[::1]:5433/x', 'jdbc:postgresql://[::1]:5433/x'",
    })
    void isTakenApart(String text, String jdbc) {
        assertThat(PostgresUrl.parse(text).jdbc()).isEqualTo(jdbc);
    }

    @Test
    void thePasswordIsDecodedAndNeverShown() {
        PostgresUrl url = PostgresUrl.parse("postgresql://me:a%40b+c@db_1/x");
        assertThat(url.user()).isEqualTo("me");
        assertThat(url.password()).isEqualTo("a@b+c");
        assertThat(url.shown()).isEqualTo("postgresql://db_1:5432/x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql:///x",
                "postgresql://host",
                "http://host/x",
                "postgresql://u:s3cret@ho st/x",
                "postgresql://u:s3cret@h:1:2/x"
            })
    void whatIsNoneIsRefusedWithoutRepeatingIt(String text) {
        assertThatThrownBy(() -> PostgresUrl.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: postgresql://")
                .hasMessageNotContaining("s3cret");
    }
}
