package dev.weir.rules;

import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.load.LoadResult;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.text.diagnostics.Diagnostic;
import java.util.List;

/** Loads texts and shows what came of them, for tests. */
public final class LoadedRules {
    private LoadedRules() {}

    /** Everything said about {@code text}, as {@code line:column: message (hint)}. */
    public static List<String> said(String text) {
        return RuleLoader.parse("f", text).diagnostics().stream()
                .map(Diagnostic::toString)
                .map(line -> line.substring("f:".length()))
                .toList();
    }

    /** The rules of {@code text}, which must load; warnings do not matter. */
    public static List<Rule> rules(String text) {
        LoadResult result = RuleLoader.parse("f", text);
        if (result.rules() == null) {
            throw new AssertionError(result.diagnostics().toString());
        }
        return result.rules().rules();
    }

    /** The only rule of {@code text}. */
    public static Rule rule(String text) {
        List<Rule> rules = rules(text);
        if (rules.size() != 1) {
            throw new AssertionError(rules.toString());
        }
        return rules.get(0);
    }
}
