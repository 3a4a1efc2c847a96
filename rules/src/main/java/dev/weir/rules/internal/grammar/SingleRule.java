package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.weir.WeirRule;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.yaml.YamlNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of reading one rule on its own.
 *
 * @param domain where it belongs
 * @param rule null where there are errors, or where it is not enabled
 * @param body what was given of the rule itself; null where it could not be read at all
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
