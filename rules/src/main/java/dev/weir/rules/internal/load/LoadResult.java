package dev.weir.rules.internal.load;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of loading rules: a rule set, or errors.
 *
 * @param rules null if there are errors: the last good set stays in force
 * @param diagnostics errors and warnings, file by file, in the order of each file
 * @param documents the number of documents read
 */
public record LoadResult(@Nullable WrittenRules rules, List<Diagnostic> diagnostics, int documents) {

    public LoadResult {
        diagnostics = List.copyOf(diagnostics);
    }

    public boolean isLoaded() {
        return rules != null;
    }

    /**
     * Returns the rules, for a caller that cannot continue without them.
     *
     * @throws IllegalArgumentException if they did not load; the message has every error, one per line
     */
    public WrittenRules orThrow() {
        if (rules == null) {
            throw new IllegalArgumentException(
                    errors().stream().map(Diagnostic::toString).collect(Collectors.joining("\n")));
        }
        return rules;
    }

    public List<Diagnostic> errors() {
        return diagnostics.stream().filter(Diagnostic::isError).toList();
    }

    public List<Diagnostic> warnings() {
        return diagnostics.stream().filter(each -> !each.isError()).toList();
    }
}
