package dev.weir.rules.internal.grammar;

import static dev.weir.rules.LoadedRules.said;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegexSizeTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a{1000}){1000}",
                "((a{100}){100}){100}",
                "(((((a?){0,30}){0,30}){0,30}){0,30}){0,30}",
                "([)]{1000}){1000}",
                "(a{1,30}){1,30}b",
                "a{1000}",
                "(\\){1000}){1000}",
                "([[:alpha:]]{1000}){1000}"
            })
    void repeatsOfRepeatsExplode(String expression) {
        assertThat(RegexSize.isTooLarge(expression)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^/api/v[0-9]+/.*$",
                "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
                "(\\d{1,3}\\.){3}\\d{1,3}",
                "^[a-z0-9]{1,200}-[a-z0-9]{1,200}$",
                "a{500}",
                "(?i)(bot|crawler){1,}",
                "{not a count}"
            })
    void ordinaryExpressionsDoNot(String expression) {
        assertThat(RegexSize.isTooLarge(expression)).isFalse();
    }

    @Test
    void longTextIsNoRepeat() {
        assertThat(RegexSize.isTooLarge("bot|".repeat(200))).isFalse();
    }

    @Test
    void theErrorShowsTheExpression() {
        assertThat(said("rules: [{ match: { a: '~(a{1000}){1000}' }, limit: { requests: 1, window: 1s } }]"))
                .containsExactly("1:23: a: counted repeats in '(a{1000}){1000}' multiply to more than 500");
    }
}
