package dev.weir.rules.grammar;

import dev.weir.match.Condition;
import java.util.List;

/** One line of a {@code match}: what it asks of an attribute, as text and compiled. */
record Clause(String attribute, List<String> texts, Condition condition) {

    @Override
    public String toString() {
        return attribute + "=" + String.join("|", texts);
    }
}
