package dev.weir.rules.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
    private static final List<String> KNOWN =
            List.of("token_bucket", "fixed_window", "sliding_window", "burst", "gcra");

    @ParameterizedTest
    @CsvSource({
        "token_buket,token_bucket",
        "tokenbucket,token_bucket",
        "Token-Bucket,token_bucket",
        "fixd_widow,fixed_window",
        "brust,burst",
        "gcar,gcra"
    })
    void aSlipIsUnderstood(String word, String meant) {
        assertThat(Suggestion.among(word, KNOWN)).isEqualTo("did you mean " + meant + "?");
    }

    @Test
    void aWordFarFromAllGetsTheWholeList() {
        assertThat(Suggestion.among("xyz", List.of("burst", "gcra"))).isEqualTo("expected: burst, gcra");
        assertThat(Suggestion.nearest("", KNOWN)).isNull();
        assertThat(Suggestion.nearest("x".repeat(1_000_000), KNOWN)).isNull();
    }
}
