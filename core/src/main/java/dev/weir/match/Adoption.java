package dev.weir.match;

import dev.weir.model.Rule;

/** Gives each rule of a domain, in the order of the file, its place in the rule set. */
interface Adoption {
    /** Takes in a rule that is about {@code scope}. */
    Rule adopt(Rule rule, boolean keyed, String scope);
}
