package dev.weir.server.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestWordsTest {

    /** Words as {@code printf '<%s>'} of a shell shows them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "api  a=b | <api><a=b>",
                "api endpoint=\"POST /orders\" | <api><endpoint=POST /orders>",
                "api 'endpoint=POST /orders' | <api><endpoint=POST /orders>",
                "api endpoint=POST\\ /orders | <api><endpoint=POST /orders>",
                "a=\"\" b='' | <a=><b=>",
                "a=\"x\\\"y\" b=\"x\\y\" | <a=x\"y><b=x\\y>",
                "a='x\\y'\"z\"w | <a=x\\yzw>",
                "a=b + c=d | <a=b><+><c=d>"
            })
    void wordsAreThoseOfAShell(String line, String words) {
        assertThat("<" + String.join("><", ShellWords.split(line)) + ">").isEqualTo(words);
    }

    @Test
    void anEmptyLineHasNoWords() {
        assertThat(ShellWords.split(" \t ")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=\"b", "a='b", "a=b\\"})
    void whatIsNotClosedIsSaid(String line) {
        assertThatThrownBy(() -> ShellWords.split(line)).hasMessageContaining("(expected: ");
    }

    @Test
    void aPlusBeginsTheNextDescriptor() {
        assertThat(RequestWords.of(List.of("a=b=c", "d=", "+", "e=+")).descriptors())
                .containsExactly(List.of(Map.entry("a", "b=c"), Map.entry("d", "")), List.of(Map.entry("e", "+")));
        assertThatThrownBy(() -> RequestWords.of(List.of("a=b", "+"))).hasMessageContaining("descriptor without");
        assertThatThrownBy(() -> RequestWords.of(List.of("=b"))).hasMessage("\"=b\" (expected: key=value)");
    }
}
