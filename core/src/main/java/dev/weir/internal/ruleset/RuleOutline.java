package dev.weir.internal.ruleset;

import dev.weir.internal.match.keyby.KeyBy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A rule without the values that it matches: enough to know which requests can meet it, and what they are counted by.
 *
 * @param limit the limit, for people
 * @param attributes whether it is in Weir's format, and so matches requests by their attributes
 * @param match the attributes that it matches; empty in Envoy's format
 * @param keyBy the attributes that it counts by; none in Envoy's format
 */
public record RuleOutline(
        String domain, String name, String limit, boolean attributes, List<String> match, KeyBy keyBy) {

    public RuleOutline {
        match = List.copyOf(match);
    }

    /** All attributes that it matches or counts by. */
    public Set<String> needed() {
        Set<String> all = new LinkedHashSet<>(match);
        keyBy.parts().forEach(all::addAll);
        return all;
    }
}
