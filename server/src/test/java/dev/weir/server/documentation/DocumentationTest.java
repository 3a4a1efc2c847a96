package dev.weir.server.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.server.documentation.DocumentationPages.Found;
import dev.weir.server.settings.SettingsReader;
import dev.weir.simulation.scenario.ScenarioReader;
import dev.weir.testing.internal.policy.PolicyFile;
import dev.weir.testing.internal.policy.PolicyFileReader;
import dev.weir.testing.internal.run.PolicySuite;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.junit.jupiter.api.io.TempDir;

/** The files and the Java of the documentation: rules, settings and scenarios load, Java stands in a test that runs. */
class DocumentationTest {
    private static final List<Path> EXAMPLES = List.of(
            Path.of("src/test/java/dev/weir/server/documentation/DocumentationExamplesTest.java"),
            DocumentationPages.ROOT.resolve(
                    "integrations/servlet/src/test/java/dev/weir/servlet/ServletExamplesTest.java"),
            DocumentationPages.ROOT.resolve(
                    "integrations/spring-boot-starter/src/test/java/dev/weir/spring/SpringExamplesTest.java"),
            DocumentationPages.ROOT.resolve(
                    "integrations/spring-boot-starter/src/test/java/dev/weir/spring/VirtualTimeTest.java"),
            DocumentationPages.ROOT.resolve("testing/src/test/java/dev/weir/testing/TestingExamplesTest.java"));
    private static final List<Path> ENVOYS = List.of(
            Path.of("src/test/resources/dev/weir/server/grpc/envoy.yaml"),
            Path.of("src/test/resources/dev/weir/server/grpc/envoy-concurrency.yaml"),
            Path.of("src/test/resources/dev/weir/server/grpc/envoy-costs.yaml"),
            Path.of("src/test/resources/dev/weir/server/grpc/envoy-quota.yaml"));
    /** Spaces before the first line of a part, at most. */
    private static final int DEEPEST = 40;

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

    @TestFactory
    Stream<DynamicTest> everyPolicyTestPasses() {
        return each(DocumentationPages.blocks("yaml test"), block -> {
            PolicyFile file = PolicyFileReader.read(
                    block.place(),
                    block.text().getBytes(StandardCharsets.UTF_8),
                    DocumentationPages.ROOT.resolve("examples/rules/page.test.yaml"),
                    LoadOptions.DEFAULT);
            assertThat(file.diagnostics()).isEmpty();
            assertThat(PolicySuite.run(file).results())
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(each.differences())
                            .as(each.test().name())
                            .isEmpty());
        });
    }

    /** The files that real Envoys are started with, in tests of their own. */
    @TestFactory
    Stream<DynamicTest> everyPartOfAnEnvoyIsPartOfOneThatRuns() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path each : ENVOYS) {
            all.append(Files.readString(each).replace("WEIR_PORT", "8081")).append('\n');
        }
        String runs = "\n" + all;
        return each(
                DocumentationPages.blocks("yaml envoy"),
                block -> assertThat(runs)
                        .as("the lines of %s, all moved to the right by the same number of spaces", block.place())
                        .matches(file -> standsIn(file, block.text())));
    }

    @TestFactory
    Stream<DynamicTest> everyLineOfJavaIsRunByATest() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (Path each : EXAMPLES) {
            sources.append(Files.readString(each));
        }
        String source = sources.toString();
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

    /** The name of a heading in links; empty for other lines. */
    private static String anchor(String line) {
        return line.startsWith("#")
                ? line.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-')
                : "";
    }

    /** Whether a file has these lines, all moved to the right by the same number of spaces: in YAML indentation has a meaning. */
    private static boolean standsIn(String file, String yaml) {
        return IntStream.range(0, DEEPEST)
                .anyMatch(depth -> file.contains("\n" + yaml.replaceAll("(?m)^(?=.)", " ".repeat(depth))));
    }

    /** Without white space and comments, which a formatter or a reader's convenience may lay out otherwise. */
    private static String squeezed(String java) {
        return java.replaceAll("//[^\n]*", "").replaceAll("\\s+", "");
    }
}
