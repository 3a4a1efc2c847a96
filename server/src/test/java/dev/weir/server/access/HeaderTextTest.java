package dev.weir.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HeaderTextTest {
    @Test
    void whatWasSentAsUtf8IsReadAsThat() {
        assertThat(HeaderText.of(sent("Stra\u00dfe \u2014 \u20ac \u0445\u043e\u0440\u043e\u0448\u043e \ud83d\ude00")))
                .isEqualTo("Stra\u00dfe \u2014 \u20ac \u0445\u043e\u0440\u043e\u0448\u043e \ud83d\ude00");
        assertThat(HeaderText.of("Stra\u00dfe"))
                .as("Latin-1, as HTTP once had it")
                .isEqualTo("Stra\u00dfe");
        assertThat(HeaderText.of(null)).isEmpty();
    }

    @Test
    void whatCannotBeSentAsItIsIsReadFromItsSpellingInAscii() {
        assertThat(HeaderText.of("UTF-8''Stra%C3%9Fe%20+1")).isEqualTo("Stra\u00dfe +1");
        assertThat(HeaderText.of("utf-8'de'100%25")).isEqualTo("100%");
        assertThat(HeaderText.of("UTF-8''100% sure")).as("no such spelling").isEqualTo("UTF-8''100% sure");
        assertThat(HeaderText.of("UTF-8''a%0Ab")).isEqualTo("a?b");
    }

    @Test
    void whatIsNoTextOfOneLineIsReplaced() {
        assertThat(HeaderText.of(sent(" a\tb\u0085c\u009fd\u2028e\u2029f\u007f ")))
                .isEqualTo("a?b?c?d?e?f?");
    }

    @Test
    void aLongOneIsCutBetweenCharacters() {
        assertThat(HeaderText.of("a".repeat(500))).isEqualTo("a".repeat(190));
        assertThat(HeaderText.of(sent("a" + "\ud83d\ude00".repeat(200)))).isEqualTo("a" + "\ud83d\ude00".repeat(94));
    }

    private static String sent(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
