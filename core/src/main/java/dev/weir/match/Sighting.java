package dev.weir.match;

import dev.weir.model.Rule;

/**
 * How a rule looked at a request, for people.
 *
 * @param met whether it applies
 * @param why what it was that the request has or lacks
 */
public record Sighting(Rule rule, boolean met, String why) {}
