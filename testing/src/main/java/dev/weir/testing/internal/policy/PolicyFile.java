package dev.weir.testing.internal.policy;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.text.diagnostics.Diagnostic;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A test file as it was read.
 *
 * @param name the file, as messages call it
 * @param rules the rules that it tests; null if they did not load
 * @param tests its tests; empty if the file has errors
 * @param sources the rule files and folders that it reads
 */
public record PolicyFile(
        String name,
        @Nullable WrittenRules rules,
        List<PolicyTest> tests,
        List<Path> sources,
        List<Diagnostic> diagnostics) {

    public PolicyFile {
        tests = List.copyOf(tests);
        sources = List.copyOf(sources);
        diagnostics = List.copyOf(diagnostics);
    }

    /** Whether the file cannot be run. */
    public boolean isWrong() {
        return diagnostics.stream().anyMatch(Diagnostic::isError);
    }
}
