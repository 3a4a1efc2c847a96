package dev.weir.text.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
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

    @ParameterizedTest
    @CsvSource({"tok,token_bucket", "tkb,token_bucket", "sliding,sliding_window", "bst,burst"})
    void aShortWordIsUnderstood(String word, String meant) {
        assertThat(Suggestion.nearest(word, KNOWN)).isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource({"userId,user_id", "user-id,user_id", "user_di,user_id", "users_id,user_id", "user_ip,", "user,"})
    void aNameIsMisspeltOnlyWhereItHardlyMeansItself(String word, @Nullable String meant) {
        assertThat(Suggestion.misspelt(word, List.of("user_id", "tier"))).isEqualTo(meant);
    }

    @Test
    void aWordFarFromAllGetsTheWholeList() {
        assertThat(Suggestion.among("xyz", List.of("burst", "gcra"))).isEqualTo("expected: burst, gcra");
        assertThat(Suggestion.nearest("", KNOWN)).isNull();
        assertThat(Suggestion.nearest("x".repeat(1_000_000), KNOWN)).isNull();
    }
}
