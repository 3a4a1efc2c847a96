package dev.weir.internal.ruleset;

import dev.weir.RuleSet;
import java.util.List;

/** The rules of a server elsewhere: they are in force there, and this process does not know them. */
public enum UnknownRules implements RuleSet {
    INSTANCE;

    @Override
    public List<String> domains() {
        return List.of();
    }

    @Override
    public List<String> ruleNames(String domain) {
        return List.of();
    }

    @Override
    public String toString() {
        return "the rules of the server";
    }
}
