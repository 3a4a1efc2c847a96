package dev.weir.internal.match;

import dev.weir.internal.model.Rule;

/** Gives each rule of a domain, in the order of the file, its place in the index. */
public interface RuleRegistrar {
    /** Registers a rule with its selector, {@code scope}. */
    Rule adopt(Rule rule, boolean keyed, String scope);
}
