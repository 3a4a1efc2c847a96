package dev.weir.internal.explain;

import dev.weir.Request;
import dev.weir.internal.model.Rule;

/**
 * A rule that a request does not meet because it lacks attributes, though it has all that the rule counts by.
 *
 * @param request the request with attributes that meet the rule; which values they have changes no counter of the rule
 * @param appliesTo the conditions that were missing, for people: {@code endpoint is POST /orders}
 */
public record RuleCompletion(Rule rule, Request request, String appliesTo) {}
