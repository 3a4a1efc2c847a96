package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.text.diagnostics.Diagnostic;
import dev.weir.text.diagnostics.DiagnosticCollector;
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

    /**
     * Reads one rule on its own, in JSON or YAML.
     *
     * @param source what diagnostics call it
     * @param domainOtherwise its domain, where the body names none
     * @param names the stores and regions that it may name
     * @param form the form in which it compares endpoints
     */
    public static SingleRule read(
            String source, String id, byte[] body, String domainOtherwise, StoreNames names, EndpointForm form) {
        DiagnosticCollector problems = new DiagnosticCollector(source);
        RuleBody read = RuleBody.read(id, body, domainOtherwise, problems, names, form);
        if (read == null) {
            return new SingleRule(domainOtherwise, null, null, problems.all());
        }
        boolean none = problems.errors() > 0 || read.file().rules().isEmpty();
        WeirRule rule = none ? null : read.file().rules().get(0).value();
        return new SingleRule(read.file().domain(), rule, read.body(), problems.all());
    }

    public List<Diagnostic> errors() {
        return diagnostics.stream().filter(Diagnostic::isError).toList();
    }

    public List<Diagnostic> warnings() {
        return diagnostics.stream().filter(each -> !each.isError()).toList();
    }
}
