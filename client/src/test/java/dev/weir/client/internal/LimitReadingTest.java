package dev.weir.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitReadingTest {
    private static final long NOW = 1_763_000_000;

    @Test
    void theFieldsOfTheDraftAreRead() {
        assertThat(read("RateLimit-Policy", "\"a\";q=100;w=60, \"b\";q=5;w=1;burst=3", "RateLimit", "\"b\";r=2;t=1"))
                .containsExactly(new LimitReading("b", 5, 1, 2, 1, -1, 3));
        assertThat(read("RateLimit-Policy", "\"a\";q=50;w=1", "RateLimit", "\"a\";r=2;t=1;weir-ms=437"))
                .containsExactly(new LimitReading("a", 50, 1, 2, 1, 0.437, 0));
    }

    @Test
    void linesAreJoinedAndPartitionsAreApart() {
        Function<String, List<String>> headers = name -> switch (name) {
            case "RateLimit-Policy" -> List.of("\"a\";q=9;w=2;pk=:c2Rm:", "\"a\";q=8;w=2");
            case "RateLimit" -> List.of("\"a\";r=4;t=2;pk=:c2Rm:");
            default -> List.of();
        };
        assertThat(LimitReading.of(headers, NOW)).containsExactly(new LimitReading("a;:c2Rm:", 9, 2, 4, 2, -1, 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"a\";r=1.5",
                "\"a\";r=-1",
                "\"a\"",
                "a;r=1",
                "\"a\";r=\"1\"",
                "\"a\";r=1,",
                "\"a;r=1",
                "\"a\";r=1;t=-2",
                "\"a\";r=9999999999999999",
                "\"a\";R=1",
                "(\"a\");r=1",
                "\"\u00e9\";r=1",
                "\"unknown\";r=1"
            })
    void malformedFieldsAreIgnored(String limit) {
        assertThat(read("RateLimit-Policy", "\"a\";q=100;w=60", "RateLimit", limit))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"a\";q=100",
                "\"a\";q=100;w=0",
                "\"a\";q=-1;w=60",
                "\"a\";q=100;w=60;qu=\"content-bytes\"",
                "\"a\";q=100;w=sixty"
            })
    void policiesThatCannotBePacedAreIgnored(String policy) {
        assertThat(read("RateLimit-Policy", policy, "RateLimit", "\"a\";r=1;t=1"))
                .isEmpty();
    }

    @Test
    void unknownParametersOfAllTypesDoNoHarm() {
        String policy = "\"a\";q=100;x=?1;y=tok/en;z=1.5;d=@1763;b=:AA==:;flag;s=\"a\\\"b\";w=60";
        assertThat(read("RateLimit-Policy", policy, "RateLimit", "\"a\";r=7")).hasSize(1);
    }

    @Test
    void theOlderFieldsStandIn() {
        assertThat(read("X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "12", "X-RateLimit-Reset", "30"))
                .containsExactly(new LimitReading("", 60, 30, 12, 30, -1, 0));
        assertThat(read(
                        "X-RateLimit-Limit",
                        "60",
                        "X-RateLimit-Remaining",
                        "12",
                        "X-RateLimit-Reset",
                        String.valueOf(NOW + 20)))
                .containsExactly(new LimitReading("", 60, 20, 12, 20, -1, 0));
        assertThat(read("X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "x", "X-RateLimit-Reset", "30"))
                .isEmpty();
    }

    @Test
    void answersOfCachesSayNothing() {
        assertThat(read("Age", "3", "X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "3"))
                .isEmpty();
    }

    @Test
    void noTextBreaksTheReader() {
        Random random = new Random(3);
        String alphabet = "\"a;=r,q1w.t:?@%*\\ \t-(";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(20); j >= 0; j--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String field = text.toString();
            assertThat(read("RateLimit-Policy", field, "RateLimit", field).size())
                    .isLessThan(10);
        }
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "0, 0", "86400, 300", "99999999999999999999, 300", "-1, -1", "soon, -1", "1.5, -1", "'', -1"})
    void retryAfterInSecondsIsCapped(String value, long seconds) {
        assertThat(RetryDelay.seconds(headers("Retry-After", value), NOW, 300)).isEqualTo(seconds);
    }

    @Test
    void retryAfterAsADateIsComparedWithTheDateOfTheAnswer() {
        String at = "Sun, 06 Nov 1994 08:49:37 GMT";
        assertThat(RetryDelay.seconds(headers("Retry-After", at, "Date", "Sun, 06 Nov 1994 08:49:07 GMT"), NOW, 300))
                .isEqualTo(30);
        assertThat(RetryDelay.seconds(headers("Retry-After", at), 784_111_770, 300))
                .isEqualTo(7);
        assertThat(RetryDelay.seconds(headers("Retry-After", at), NOW, 300)).isZero();
    }

    private static List<LimitReading> read(String... namesAndValues) {
        return LimitReading.of(headers(namesAndValues), NOW);
    }

    private static Function<String, List<String>> headers(String... namesAndValues) {
        Map<String, List<String>> all = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            all.put(namesAndValues[i], List.of(namesAndValues[i + 1]));
        }
        return name -> all.getOrDefault(name, List.of());
    }
}
