package dev.weir.server.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.documentation.DocumentationPages.Found;
import dev.weir.server.settings.SettingsReader;
import dev.weir.simulation.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.junit.jupiter.api.io.TempDir;

/** The files and the Java of the documentation: rules, settings and scenarios load, Java stands in a test that runs. */
class DocumentationTest {
    private static final Path EXAMPLES =
            Path.of("src/test/java/dev/weir/server/documentation/DocumentationExamplesTest.java");
    private static final List<Path> ENVOYS = List.of(
            Path.of("src/test/resources/dev/weir/server/grpc/envoy.yaml"),
            Path.of("src/test/resources/dev/weir/server/grpc/envoy-concurrency.yaml"));
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;$");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");

    @TempDir
    Path folder;

    @TestFactory
    Stream<DynamicTest> everyRuleFileLoads() {
        return each(
                DocumentationPages.blocks("yaml"),
                block -> assertThat(
                                RuleLoader.parse(block.place(), block.text()).diagnostics())
                        .isEmpty());
    }

    @TestFactory
    Stream<DynamicTest> everySettingsFileIsRead() {
        return each(DocumentationPages.blocks("yaml weir.yaml"), block -> {
            Files.writeString(folder.resolve("big"), "a password");
            Path file = Files.writeString(
                    folder.resolve("weir.yaml"), block.text().replace("/run/secrets", folder.toString()));
            assertThat(SettingsReader.read(Map.of("config", file.toString()), Map.of(), folder)
                            .warnings())
                    .isEmpty();
        });
    }

    @TestFactory
    Stream<DynamicTest> everyScenarioIsRead() {
        return each(
                DocumentationPages.blocks("yaml scenario"),
                block -> assertThat(
                                ScenarioReader.read(block.place(), block.text().getBytes(StandardCharsets.UTF_8))
                                        .diagnostics())
                        .isEmpty());
    }

    /** The files that real Envoys are started with, in tests of their own. */
    @TestFactory
    Stream<DynamicTest> everyPartOfAnEnvoyIsPartOfOneThatRuns() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path each : ENVOYS) {
            all.append(unindented(Files.readString(each).replace("WEIR_PORT", "8081")));
        }
        String runs = all.toString();
        return each(
                DocumentationPages.blocks("yaml envoy"),
                block -> assertThat(runs).contains(unindented(block.text())));
    }

    @TestFactory
    Stream<DynamicTest> everyLineOfJavaIsRunByATest() throws IOException {
        String source = Files.readString(EXAMPLES);
        String examples = squeezed(source);
        return each(DocumentationPages.blocks("java"), block -> {
            assertThat(examples).contains(squeezed(IMPORT.matcher(block.text()).replaceAll("")));
            assertThat(IMPORT.matcher(block.text()).results().map(MatchResult::group))
                    .allSatisfy(line -> assertThat(source).contains(line));
        });
    }

    @Test
    void theDependencyIsTheOneThatIsBuilt() throws IOException {
        Matcher version = Pattern.compile("<artifactId>weir-parent</artifactId>\\s*<version>([^<]+)</version>")
                .matcher(Files.readString(DocumentationPages.ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(DocumentationPages.blocks("xml"))
                .allSatisfy(block -> assertThat(block.text()).contains("<version>" + version.group(1) + "</version>"));
    }

    @TestFactory
    Stream<DynamicTest> everyLinkLeadsSomewhere() {
        return each(DocumentationPages.matching(LINK), link -> {
            Matcher parts = LINK.matcher(link.text());
            assertThat(parts.find()).isTrue();
            Path from = DocumentationPages.ROOT.resolve(link.place().replaceFirst(":.*", ""));
            Path to = parts.group(1).isEmpty() ? from : from.resolveSibling(parts.group(1));
            assertThat(to).exists();
            if (parts.group(2) != null) {
                assertThat(Files.readAllLines(to)).anyMatch(line -> anchor(line).equals(parts.group(2)));
            }
        });
    }

    private static Stream<DynamicTest> each(List<Found> found, ThrowingConsumer<Found> test) {
        return found.stream().map(each -> DynamicTest.dynamicTest(each.place(), () -> test.accept(each)));
    }

    /** What a heading is called in links; empty for other lines. */
    private static String anchor(String line) {
        return line.startsWith("#")
                ? line.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-')
                : "";
    }

    private static String unindented(String yaml) {
        return yaml.replaceAll("(?m)^ +", "").strip();
    }

    /** Without white space and comments, which a formatter or a reader's convenience may lay out otherwise. */
    private static String squeezed(String java) {
        return java.replaceAll("//[^\n]*", "").replaceAll("\\s+", "");
    }
}
