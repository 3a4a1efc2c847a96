package dev.weir.internal.explain;

import dev.weir.internal.model.Rule;

/**
 * How a rule looked at a request, for people.
 *
 * @param met whether it applies
 * @param why what it was that the request has or lacks
 */
public record RuleExplanation(Rule rule, boolean met, String why) {}
