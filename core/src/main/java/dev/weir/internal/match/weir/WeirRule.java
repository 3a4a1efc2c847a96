package dev.weir.internal.match.weir;

import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointForm;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.model.Rule;
import java.util.List;

/**
 * A rule in Weir's format with the requests it matches and the key of its counters.
 *
 * @param ignoresCase whether endpoints that differ in letter case alone are one endpoint
 */
public record WeirRule(Rule rule, List<Condition> match, KeyBy keyBy, boolean ignoresCase) {

    public WeirRule {
        match = List.copyOf(match);
    }

    /** A rule for which letter case counts. */
    public WeirRule(Rule rule, List<Condition> match, KeyBy keyBy) {
        this(rule, match, keyBy, false);
    }

    /** The conditions, with patterns for endpoints in {@code form}. */
    public List<Condition> matchIn(EndpointForm form) {
        return match.stream().map(each -> each.in(form, ignoresCase)).toList();
    }

    /** Whether requests that it matches can differ in their counter key. */
    boolean tellsApart() {
        return keyBy.parts().stream()
                .flatMap(List::stream)
                .anyMatch(attribute -> match.stream()
                        .noneMatch(each -> each.attribute().equals(attribute)
                                && each.anyOf().size() == 1
                                && each.anyOf().get(0) instanceof ValuePattern.Exact));
    }
}
