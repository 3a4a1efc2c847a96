package dev.weir.rules.grammar;

import dev.weir.match.Condition;
import dev.weir.rules.grammar.RuleFile.Placed;
import java.util.List;

/** One line of a {@code match}: what it asks of an attribute, as text and compiled. */
record Clause(String attribute, List<Placed<String>> values, Condition condition) {

    List<String> texts() {
        return values.stream().map(Placed::value).toList();
    }

    @Override
    public String toString() {
        return attribute + "=" + String.join("|", texts());
    }
}
