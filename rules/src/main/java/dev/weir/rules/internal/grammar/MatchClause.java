package dev.weir.rules.internal.grammar;

import dev.weir.internal.match.pattern.Condition;
import dev.weir.rules.internal.grammar.RuleFile.Placed;
import java.util.List;

/** One attribute of a {@code match} with its values, as text and compiled. */
record MatchClause(String attribute, List<Placed<String>> values, Condition condition) {

    List<String> texts() {
        return values.stream().map(Placed::value).toList();
    }

    @Override
    public String toString() {
        return attribute + "=" + String.join("|", texts());
    }
}
