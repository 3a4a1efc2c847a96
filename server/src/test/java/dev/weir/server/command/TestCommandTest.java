package dev.weir.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.documentation.DocumentationPages;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir test}: results, explanations, coverage and exit codes. */
class TestCommandTest {
    private static final String RULES = """
        domain: api
        key_by: user_id
        rules:
          - { name: writes, match: { endpoint: "POST /x" }, limit: { requests: %d, window: 1m } }
          - { name: reads, match: { endpoint: "GET /x" }, limit: { requests: 5, window: 1m } }
        """;
    private static final String TESTS = """
        tests:
          - name: five writes
            steps:
              - ask: { user_id: u1, endpoint: "POST /x" }
                times: 9
                expect: { allowed: 5, denied: 4 }
        """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    @Test
    void testsThatPassAreListed() throws IOException {
        given(5);
        assertThat(run("test", folder.toString())).isZero();
        assertThat(out.toString())
                .contains(
                        "api.test.yaml", "  ok    five writes", "1 test, 0 failed,", "no test met 1 of 2 rules: reads");
        assertThat(run("test", folder.toString(), "--all-rules")).isEqualTo(1);
    }

    @Test
    void aTestThatFailsIsExplained() throws IOException {
        given(6);
        Path xml = folder.resolve("reports/rules.xml");
        assertThat(run("test", folder.toString(), "--coverage", "--junit", xml.toString()))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains(
                        "  FAIL  five writes",
                        "api.test.yaml:6:28: five writes",
                        "expected: allowed 5, denied 4",
                        "happened: allowed 6, denied 3",
                        "request 6 at 0s, the first that was allowed beyond 5:",
                        "allowed under writes (6 per 1m, token_bucket) for user_id=u1: 0 left",
                        "1 test, 1 failed,")
                .containsPattern("writes +api +9 +3");
        assertThat(xml).content().contains("<testsuites tests=\"1\" failures=\"1\" errors=\"0\"");
    }

    @Test
    void mistakesHaveTheirPlaceAndNothingRuns() throws IOException {
        given(5);
        Files.writeString(folder.resolve("api.test.yaml"), TESTS.replace("ask:", "aks:"));
        assertThat(run("test", folder.resolve("api.test.yaml").toString())).isEqualTo(2);
        assertThat(err.toString()).contains("api.test.yaml:4:9: unknown field 'aks' (did you mean ask?)");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void whatIsMissingIsNotFound() {
        assertThat(run("test", folder.resolve("none.test.yaml").toString())).isEqualTo(3);
        assertThat(err.toString()).contains("none.test.yaml: no such file");
        assertThat(run("test", folder.toString())).isEqualTo(3);
        assertThat(err.toString()).contains("no *.test.yaml in this folder");
    }

    @Test
    void watchingRunsAgainWhenTheRulesChange() throws Exception {
        given(6);
        Thread watching = new Thread(() -> run("test", folder.toString(), "--watch"));
        watching.start();
        try {
            await().until(() -> out.toString().contains("1 test, 1 failed"));
            given(5);
            await().until(() -> out.toString().contains("1 test, 0 failed"));
        } finally {
            watching.interrupt();
            watching.join();
        }
    }

    /** A rule file of the examples has tests beside it, which pass and meet every rule. */
    @Test
    void theExamplesAreTested() throws IOException {
        Path examples = DocumentationPages.ROOT.resolve("examples");
        assertThat(run("test", examples.toString(), "--all-rules"))
                .as("%s%s", out, err)
                .isZero();
        try (Stream<Path> files = Files.walk(examples)) {
            List<Path> rules = files.filter(TestCommandTest::isRuleFile).toList();
            assertThat(rules)
                    .extracting(each -> examples.relativize(each).getName(0).toString())
                    .contains("grpc", "kotlin", "quarkus", "spring-boot-3", "webflux");
            assertThat(rules)
                    .allSatisfy(each -> assertThat(Path.of(each.toString().replace(".yaml", ".test.yaml")))
                            .exists());
        }
    }

    /** The rules of this example stand in the settings of its application, where no test can be beside them. */
    @Test
    void theTestedRulesOfTheSpringBootExampleAreThoseOfTheApplication() throws IOException {
        Path example = DocumentationPages.ROOT.resolve("examples/spring-boot");
        String tested = Files.readString(example.resolve("rules.test.yaml"));
        String rules = tested.substring(tested.indexOf("rules:\n"), tested.indexOf("tests:\n"));
        assertThat(Files.readString(example.resolve("src/main/resources/application.yaml")))
                .contains(rules.indent(4));
    }

    private static boolean isRuleFile(Path file) {
        String name = file.getFileName().toString();
        if (!name.endsWith(".yaml")
                || name.endsWith(".test.yaml")
                || file.toString().contains("/target/")) {
            return false;
        }
        try {
            return Files.readAllLines(file).stream()
                    .anyMatch(line -> line.equals("rules:") || line.startsWith("descriptors:"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void testsBesideRulesAreNoRules() throws IOException {
        given(5);
        assertThat(run("validate", folder.toString())).isZero();
        assertThat(out.toString()).contains("2 rules in 1 domain, from 1 file");
        Files.writeString(folder.resolve("edge.test.yaml"), "domain: edge\nrules: []\n");
        assertThat(run("validate", folder.toString())).isZero();
        assertThat(out.toString()).contains("in 2 domains, from 2 files");
        Files.delete(folder.resolve("edge.test.yaml"));
        Files.delete(folder.resolve("api.yaml"));
        assertThat(run("validate", folder.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("api.test.yaml: tests, and no rules beside them");
    }

    private void given(int requests) throws IOException {
        Files.writeString(folder.resolve("api.yaml"), RULES.formatted(requests));
        Files.writeString(folder.resolve("api.test.yaml"), TESTS);
    }

    private int run(String... arguments) {
        return WeirCommand.commandLine(Map.of(), arguments)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
