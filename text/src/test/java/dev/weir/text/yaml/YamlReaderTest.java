package dev.weir.text.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.DiagnosticCollector;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlReaderTest {
    private final DiagnosticCollector problems = new DiagnosticCollector("f.yaml");

    @ParameterizedTest
    @ValueSource(strings = {"404", "007", "true", "yes", "1.50", "0x10", "2001-01-01", "1_000", "NaN", "é", "a b"})
    void aScalarIsTheTextThatStandsThere(String text) {
        assertThat(value("k: " + text, "k")).isEqualTo(new Scalar(new Position(1, 4), text, true));
        assertThat(value("k: \"" + text + "\"", "k")).isEqualTo(new Scalar(new Position(1, 4), text, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"k:", "k: ~", "k: null", "k: Null"})
    void nothingHasSeveralSpellings(String text) {
        assertThat(((Scalar) value(text, "k")).isNull()).isTrue();
    }

    @Test
    void quotedWordsForNothingAreText() {
        assertThat(((Scalar) value("k: \"\"", "k")).isNull()).isFalse();
        assertThat(((Scalar) value("k: '~'", "k")).isNull()).isFalse();
        assertThat(((Scalar) value("k: !!str null", "k")).isNull()).isFalse();
    }

    @Test
    void everyValueKnowsItsPlace() {
        Mapping root = mapping("""
                a:
                  - x: 1
                    "y": [p, "q"]
                """);
        Mapping item = (Mapping) ((Sequence) entry(root, "a").value()).items().get(0);
        assertThat(item.at()).isEqualTo(new Position(2, 5));
        assertThat(entry(item, "y").key().at()).isEqualTo(new Position(3, 5));
        assertThat(((Sequence) entry(item, "y").value()).items())
                .extracting(YamlNode::at)
                .containsExactly(new Position(3, 11), new Position(3, 14));
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheText() {
        assertThat(value("\uFEFFk: v", "k")).isEqualTo(new Scalar(new Position(1, 4), "v", true));
    }

    @Test
    void aliasesAndMergesRepeatWhatWasSaid() {
        Mapping root = mapping("""
                a: &base { unit: day, n: 1 }
                b: { <<: *base, n: 2 }
                c: { <<: [*base, { m: 3 }] }
                d: *base
                """);
        assertThat(text(root, "b", "unit")).isEqualTo("day");
        assertThat(text(root, "b", "n")).isEqualTo("2");
        assertThat(text(root, "c", "m")).isEqualTo("3");
        assertThat(text(root, "d", "n")).isEqualTo("1");
        assertThat(problems.all()).isEmpty();
    }

    @Test
    void aMergeAfterWhatItAlsoBringsIsWarnedOf() {
        Mapping root = mapping("a: &base { n: 1, m: 1 }\nb: { n: 2, <<: *base }\nc: { o: 2, <<: [{ p: 1 }, *base] }\n");
        assertThat(text(root, "b", "n")).isEqualTo("2");
        assertThat(problems.all())
                .map(Object::toString)
                .containsExactly("f.yaml:2:12: warning: << has 'n', which is set before it"
                        + " (the value set before it wins here, but not in every YAML parser: put << first)");
    }

    @Test
    void aNameTwiceInAMappingIsAnErrorAndReadingGoesOn() {
        read("a: 1\nb: {c: 1, c: 2}\na: 3\n");
        assertThat(messages())
                .containsExactly(
                        "f.yaml:2:11: duplicate key 'c' (first at 2:5)",
                        "f.yaml:3:1: duplicate key 'a' (first at 1:1)");
    }

    @Test
    void aSecondDocumentIsRefusedAndAnEmptyOneIsNot() {
        assertThat(read("---\na: 1\n---\n...\n")).isInstanceOf(Mapping.class);
        assertThat(messages()).isEmpty();
        assertThat(read("a: 1\n---\nb: 2\n")).isNull();
        assertThat(messages()).containsExactly("f.yaml:2:1: a second document (expected: one document per file)");
    }

    @Test
    void brokenYamlSaysWhere() {
        assertThat(read("a: 1\nb: [1, 2\nc: 3\n")).isNull();
        assertThat(messages()).hasSize(1).first().asString().startsWith("f.yaml:3:2: not YAML: ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            a:\\n\\tb: 1         | 2:1: a tab (YAML indents with spaces)
            a: @b             | 1:4: a text cannot begin with '@' (write it in quotes)
            a:\\n  - b: 1\\n   c: 2 | 3:4: wrong indentation (the keys of a mapping, and the items of a list, start in the same column)
            a:\\n  - b\\n  c: 2    | 3:3: wrong indentation (the keys of a mapping, and the items of a list, start in the same column)
            a: b: c           | 1:5: unexpected colon (a text with a colon needs quotes; a colon and a dash need a space after them, also on the line before; else check the indentation)
            a: 1\\nb\\nc: 2      | 2:1: a key without a colon after it
            a: "b\\nc: 1\\n      | 1:4: a quote is never closed
            a: 'b\\n---\\n       | 1:4: a quote is never closed
            a: "b\\x            | 1:6: an escape without its digits
            a: {b: [c, d\\n      | 1:8: '[' is never closed
            a: {b: 1\\n\\n        | 1:4: '{' is never closed
            a: [\\n             | 2:1: the file ends inside [ ] or { }
            a: {b: 1}}        | 1:10: '}' closes nothing
            a: 'it's'         | 1:8: unexpected text after the end of a quoted text (check the quotes)
            a: *              | 1:4: not a valid alias (a text that begins with * needs quotes)
            a: *b             | 1:4: unknown alias *b (a text that begins with * needs quotes)
            """)
    void whatIsNoYamlIsSaidInWordsOfPeople(String text, String line) {
        assertThat(read(text.replace("\\n", "\n").replace("\\t", "\t"))).isNull();
        assertThat(messages()).containsExactly("f.yaml:" + line);
    }

    @Test
    void bytesThatAreNotUtf8SayWhere() {
        byte[] bytes = "a: 1\nb: é\uD83D\uDE00x\n".getBytes(StandardCharsets.UTF_8);
        bytes[bytes.length - 2] = (byte) 0xC3;
        assertThat(YamlReader.read(bytes, problems)).isNull();
        assertThat(messages()).containsExactly("f.yaml:2:6: not UTF-8: byte 0xc3 (save the file as UTF-8)");
    }

    @Test
    void utf16IsCalledByItsName() {
        assertThat(YamlReader.read("a: 1".getBytes(StandardCharsets.UTF_16), problems))
                .isNull();
        assertThat(messages()).containsExactly("f.yaml:1:1: not UTF-8: begins with the byte order mark of UTF-16");
    }

    @Test
    void charactersThatYamlForbidsSayWhere() {
        for (String line : List.of("\n", "\r\n", "\r")) {
            assertThat(read("a: 1" + line + "b: \u0000")).isNull();
        }
        assertThat(messages()).containsExactly("f.yaml:2:4: character U+0000 is not allowed in YAML");
    }

    @Test
    void anAliasBombIsRefusedFast() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 12; i++) {
            String previous = "*a" + (i - 1);
            bomb.append("a%d: &a%d [%s]\n".formatted(i, i, String.join(", ", List.of(previous, previous, previous))));
        }
        refusedFast(bomb.toString(), "aliases repeat more than 100000 values");
    }

    @Test
    void anAliasCanNotHoldItself() {
        refusedFast("a: &a [1, *a]", "alias *a is used inside its own value");
        refusedFast("a: *b", "unknown alias *b");
    }

    @Test
    void nestingOfTenThousandLevelsIsRefusedFast() {
        refusedFast("[".repeat(10_000), "nested deeper than 512 levels");
        refusedFast("{a: ".repeat(10_000), "nested deeper than 512 levels");
        refusedFast("- ".repeat(10_000), "nested deeper than 512 levels");
    }

    @Test
    void aLargeDocumentIsRefusedBeforeItIsParsed() {
        byte[] large = new byte[YamlReader.MAX_BYTES + 1];
        Arrays.fill(large, (byte) 'a');
        assertThat(YamlReader.read(large, problems)).isNull();
        assertThat(messages()).containsExactly("f.yaml: more than 16 MiB (split it into several files)");
    }

    @Test
    void aListOfAMillionIsRefused() {
        refusedFast("[" + "1,".repeat(1_100_000) + "]", "more than 1000000 values");
    }

    @Test
    void aWordOfMegabytesCostsNoMoreThanItsLength() {
        String word = "x".repeat(4 << 20);
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> assertThat(((Scalar) value("# " + word + "\nk: '" + word + "'", "k")).text())
                        .isEqualTo(word));
    }

    private void refusedFast(String text, String why) {
        DiagnosticCollector found = new DiagnosticCollector("f.yaml");
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> assertThat(YamlReader.read(bytes, found)).isNull());
        assertThat(found.all())
                .hasSize(1)
                .first()
                .extracting(Diagnostic::message)
                .isEqualTo(why);
    }

    private @Nullable YamlNode read(String text) {
        return YamlReader.read(text.getBytes(StandardCharsets.UTF_8), problems);
    }

    private YamlNode value(String text, String name) {
        return entry(mapping(text), name).value();
    }

    private Mapping mapping(String text) {
        return (Mapping) Objects.requireNonNull(read(text));
    }

    private static Entry entry(Mapping mapping, String name) {
        return Objects.requireNonNull(mapping.entry(name));
    }

    private static String text(Mapping root, String outer, String inner) {
        return ((Scalar) entry((Mapping) entry(root, outer).value(), inner).value()).text();
    }

    private List<String> messages() {
        return problems.all().stream().map(Diagnostic::toString).toList();
    }
}
