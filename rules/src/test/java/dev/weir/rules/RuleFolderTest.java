package dev.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleFolderTest {
    @TempDir
    Path folder;

    @Test
    void everyYamlFileOfAFolderIsADomain() throws IOException {
        write("b.yml", envoy("two", "x"));
        write("a.yaml", envoy("one", "x"));
        write("sub/c.YAML", envoy("three", "x"));
        write("notes.txt", "not rules: [");
        write(".hidden.yaml", "not rules: [");
        write(".git/config.yaml", "not rules: [");

        LoadResult loaded = RuleLoader.load(folder);
        assertThat(domains(loaded)).containsExactly("one", "two", "three");
        assertThat(said(loaded))
                .containsExactly(folder + ": warning: not read: notes.txt (only *.yaml and *.yml are read)");
    }

    @Test
    void aConfigMapIsReadOnce() throws IOException {
        write("..2026_01/rules.yaml", envoy("one", "x"));
        write("..2026_01/more.yaml", envoy("two", "x"));
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2026_01"));
        Files.createSymbolicLink(folder.resolve("rules.yaml"), Path.of("..data/rules.yaml"));
        Files.createSymbolicLink(folder.resolve("more.yaml"), Path.of("..data/more.yaml"));
        Files.createSymbolicLink(folder.resolve("twice.yaml"), Path.of("..data/more.yaml"));
        Files.createSymbolicLink(folder.resolve("loop"), folder);

        assertThat(domains(RuleLoader.load(folder))).containsExactlyInAnyOrder("one", "two");
    }

    @Test
    void whatLiesTooDeepIsNotPassedOver() throws IOException {
        write("a.yaml", envoy("one", "x"));
        write("1/2/3/4/5/6/7/b.yaml", envoy("two", "x"));
        assertThat(domains(RuleLoader.load(folder))).containsExactlyInAnyOrder("one", "two");

        Path deep = write("1/2/3/4/5/6/7/8/c.yaml", envoy("three", "x"));
        assertThat(said(RuleLoader.load(folder)))
                .containsExactly(folder + ": cannot be read: " + deep.getParent() + " is more than 7 folders deep");
    }

    @Test
    void oneDomainInTwoFilesIsAnErrorUnlessTheyMerge() throws IOException {
        Path a = write("a.yaml", envoy("one", "x"));
        Path b = write("b.yaml", envoy("one", "y"));

        assertThat(said(RuleLoader.load(folder)))
                .containsExactly(b + ":1:9: domain 'one' is also in " + a
                        + ":1:9 (one file holds one domain, unless MERGE_DOMAIN_CONFIG is true)");
        LoadResult merged = RuleLoader.load(folder, new LoadOptions(true));
        assertThat(domains(merged)).containsExactly("one");
        assertThat(rules(merged)).extracting(Rule::label).containsExactly("x", "y");
    }

    @Test
    void aStoreMustBeOneOfThoseThereAre() throws IOException {
        Path a = write("a.yaml", """
                domain: a
                store: big
                rules:
                  - { name: x, limit: { requests: 1, window: 1s } }
                  - { name: y, store: default, match: { k: v }, limit: { requests: 1, window: 1m } }
                """);
        Path b = write("b.yaml", """
                domain: b
                descriptors:
                  - key: k
                    rate_limit: { unit: second, requests_per_unit: 1, store: bgi }
                """);

        assertThat(rules(RuleLoader.load(a, new LoadOptions(false, Set.of("big")))))
                .extracting(Rule::store)
                .containsExactly("big", "default");
        assertThat(said(RuleLoader.load(folder, new LoadOptions(false, Set.of("big")))))
                .containsExactly(b + ":4:62: unknown store 'bgi' (did you mean big?; stores are defined in weir.yaml)");
        assertThat(said(RuleLoader.load(a, new LoadOptions(false, Set.of()))))
                .containsExactly(a + ":2:8: unknown store 'big' (expected: default; stores are defined in weir.yaml)");
        assertThat(said(RuleLoader.load(folder))).isEmpty();
    }

    @Test
    void mergedDomainsMayNotRepeatThemselves() throws IOException {
        Path a = write("a.yaml", envoy("one", "x"));
        Path b = write("b.yaml", envoy("one", "x"));
        Path c = write("c.yaml", "domain: two\nrules: [{ name: n, limit: { requests: 1, window: 1s } }]\n");
        Path d = write("d.yaml", "domain: two\nrules: [{ name: n, limit: { requests: 2, window: 1h } }]\n");
        Path e = write("e.yaml", "domain: one\nrules: [{ name: n, limit: { requests: 2, window: 1h } }]\n");

        assertThat(said(RuleLoader.load(folder, new LoadOptions(true))))
                .containsExactly(
                        b + ":3:5: duplicate descriptor x (first at " + a + ":3:5)",
                        d + ":2:17: name 'n' is used twice (first at " + c + ":2:17)",
                        e + ":1:9: domain 'one' is also in " + a + ":1:9 (in the other format)");
    }

    @Test
    void errorsOfAllFilesAreSaidAtOnce() throws IOException {
        Path a = write("a.yaml", "");
        Path b = write("b.yaml", "domain: x\nfoo: 1\n");
        Path c = write("c.yaml", "descriptors: []\n");
        Path d = write("d.yaml", "descriptors: []\n");

        assertThat(said(RuleLoader.load(folder)))
                .containsExactly(
                        a + ":1:1: the file is empty (write rules: [] to limit nothing)",
                        b + ":2:1: unknown field 'foo' (expected: domain, descriptors)",
                        c + ":1:1: domain is missing (expected: the domain that Envoy's filter sends)",
                        d + ":1:1: domain is missing (expected: the domain that Envoy's filter sends)");
    }

    @Test
    void aFolderWithoutRulesIsAMistake() {
        assertThat(said(RuleLoader.load(folder)))
                .containsExactly(folder + ": no *.yaml in this folder (expected: at least one rule file)");
    }

    @Test
    void aFileThatIsNotThereSaysSo() {
        Path missing = folder.resolve("rules.yaml");
        assertThat(said(RuleLoader.load(missing))).containsExactly(missing + ": cannot be read: it does not exist");
    }

    @Test
    void aDanglingLinkIsAnErrorOfThatFile() throws IOException {
        write("a.yaml", envoy("one", "x"));
        Path dangling = folder.resolve("b.yaml");
        Files.createSymbolicLink(dangling, Path.of("nowhere"));
        assertThat(said(RuleLoader.load(folder))).containsExactly(dangling + ": cannot be read: it does not exist");
    }

    @Test
    void aLinkThatLeadsToItselfSaysSo() throws IOException {
        Path loop = folder.resolve("a.yaml");
        Files.createSymbolicLink(loop, loop);
        assertThat(said(RuleLoader.load(folder)))
                .hasSize(1)
                .first()
                .asString()
                .startsWith(loop + ": cannot be read: Too many levels of symbolic links");
    }

    @Test
    void aHundredMegabytesAreRefusedWithoutBeingRead() throws IOException {
        Path huge = folder.resolve("huge.yaml");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(100L << 20);
        }
        assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () -> assertThat(said(RuleLoader.load(huge)))
                        .containsExactly(huge + ": more than 16 MiB (split it into several files)"));
    }

    @Test
    void tenThousandRulesLoad() {
        StringBuilder text = new StringBuilder("key_by: user_id\nrules:\n");
        for (int i = 0; i < 10_000; i++) {
            text.append("  - match: { tenant: t").append(i).append(", endpoint: \"POST /api/*\" }\n");
            text.append("    limit: { requests: 10, window: 1s, algorithm: gcra }\n");
        }
        assertThat(rules(RuleLoader.parse("f", text.toString()))).hasSize(10_000);
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static String envoy(String domain, String key) {
        return "domain: " + domain + "\ndescriptors:\n  - key: " + key
                + "\n    rate_limit: { unit: day, requests_per_unit: 1 }\n";
    }

    private static List<String> said(LoadResult result) {
        return result.diagnostics().stream().map(Object::toString).toList();
    }

    private static List<String> domains(LoadResult result) {
        return rules(result).stream().map(Rule::domain).distinct().toList();
    }

    private static List<Rule> rules(LoadResult result) {
        if (result.rules() == null) {
            throw new AssertionError(result.diagnostics().toString());
        }
        return result.rules().rules();
    }
}
