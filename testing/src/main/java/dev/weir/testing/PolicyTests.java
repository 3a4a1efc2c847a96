package dev.weir.testing;

import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.LoadOptions;
import dev.weir.testing.internal.policy.PolicyFile;
import dev.weir.testing.internal.policy.PolicyFileReader;
import dev.weir.testing.internal.policy.PolicyPaths;
import dev.weir.testing.internal.policy.PolicyTest;
import dev.weir.testing.internal.report.FailureText;
import dev.weir.testing.internal.run.PolicyResult;
import dev.weir.testing.internal.run.PolicyRun;
import dev.weir.text.diagnostics.Diagnostic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.AssertionFailedError;

/**
 * The test files of {@code weir test} as tests of JUnit.
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicNode> rules() {
 *     return PolicyTests.in(Path.of("src/main/resources/rules"));
 * }
 * }</pre>
 */
public final class PolicyTests {
    private PolicyTests() {}

    /**
     * Returns a container for each file, with a test for each of its tests. A file with mistakes is a test that fails and
     * names them.
     *
     * @param paths test files, and folders with {@code *.test.yaml} files
     * @throws UncheckedIOException if a path does not exist, or a folder has no test file
     */
    public static Stream<DynamicNode> in(Path... paths) {
        List<DynamicNode> nodes = new ArrayList<>();
        for (Path path : paths) {
            try {
                PolicyPaths.at(path).forEach(file -> nodes.add(file(file)));
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        }
        return nodes.stream();
    }

    private static DynamicNode file(Path path) {
        PolicyFile file = PolicyFileReader.read(path, LoadOptions.DEFAULT);
        WrittenRules rules = file.rules();
        URI source = path.toUri();
        if (file.isWrong() || rules == null) {
            String errors = file.diagnostics().stream()
                    .filter(Diagnostic::isError)
                    .map(Diagnostic::toString)
                    .collect(Collectors.joining("\n"));
            return DynamicTest.dynamicTest(file.name(), source, () -> {
                throw new AssertionFailedError(errors);
            });
        }
        RuleIndex index = RuleIndex.of(rules);
        return DynamicContainer.dynamicContainer(
                file.name(), source, file.tests().stream().map(each -> test(each, index, source)));
    }

    private static DynamicNode test(PolicyTest test, RuleIndex index, URI source) {
        URI line = URI.create(source + "?line=" + test.at().line());
        return DynamicTest.dynamicTest(test.name(), line, () -> {
            PolicyResult result = PolicyRun.run(test, index);
            if (!result.passed()) {
                throw new AssertionFailedError("\n" + String.join("\n", FailureText.of(result)));
            }
        });
    }
}
