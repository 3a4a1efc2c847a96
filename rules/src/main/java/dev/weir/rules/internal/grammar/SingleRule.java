package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.weir.WeirRule;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.yaml.YamlNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading a single rule.
 *
 * @param domain its domain
 * @param rule null if there are errors, or if the rule is not enabled
 * @param body the given members of the rule; null if the body could not be read
 */
public record SingleRule(
        String domain, @Nullable WeirRule rule, YamlNode.@Nullable Mapping body, List<Diagnostic> diagnostics) {

    public SingleRule {
        diagnostics = List.copyOf(diagnostics);
    }

    public List<Diagnostic> errors() {
        return diagnostics.stream().filter(Diagnostic::isError).toList();
    }

    public List<Diagnostic> warnings() {
        return diagnostics.stream().filter(each -> !each.isError()).toList();
    }
}
