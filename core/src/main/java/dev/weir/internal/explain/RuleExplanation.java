package dev.weir.internal.explain;

import dev.weir.internal.model.Rule;

/**
 * Explains to people why a rule applies to a request or does not.
 *
 * @param met whether the rule applies
 * @param why the part of the request that matched or is missing
 */
public record RuleExplanation(Rule rule, boolean met, String why) {}
