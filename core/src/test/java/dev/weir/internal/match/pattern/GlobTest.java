package dev.weir.internal.match.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {

    @ParameterizedTest
    @CsvSource({
        "a*,     a,        true",
        "a*,     ba,       false",
        "*a,     ba,       true",
        "a*a,    a,        false",
        "a*a,    aa,       true",
        "a*b*c,  abc,      true",
        "a*b*c,  a-c-b,    false",
        "*aab*,  aaab,     true",
        "ab,     ab,       true",
        "ab,     abc,      false",
        "**,     anything, true",
        "*,      '',       true",
        "*ab*ab, abab,     true",
        "*ab*ab, ab,       false",
    })
    void eachStarIsAnyRun(String glob, String value, boolean matches) {
        assertThat(new Glob(glob).matches(value)).isEqualTo(matches);
    }

    @Property(tries = 5000)
    void agreesWithARegularExpression(@ForAll("globs") String glob, @ForAll("values") String value) {
        Pattern model = Pattern.compile(
                Arrays.stream(glob.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
        assertThat(new Glob(glob).matches(value)).isEqualTo(model.matcher(value).matches());
    }

    @Provide
    Arbitrary<String> globs() {
        return Arbitraries.strings().withChars('a', 'b', '*').ofMaxLength(8);
    }

    @Provide
    Arbitrary<String> values() {
        return Arbitraries.strings().withChars('a', 'b').ofMaxLength(12);
    }

    @Test
    void hostilePatternsOnHostileValuesStayLinear() {
        String a = "a".repeat(100_000);
        Glob manyStars = new Glob("*" + "a*".repeat(1_000) + "b");
        Glob longPiece = new Glob("*" + a.substring(50_000) + "b*");
        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            for (int i = 0; i < 100; i++) {
                assertThat(manyStars.matches(a)).isFalse();
                assertThat(longPiece.matches(a)).isFalse();
            }
        });
    }
}
