package dev.weir.internal.match.weir;

import dev.weir.LoadShedder.Priority;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointForm;
import java.util.List;

/**
 * An entry of {@code priorities}: how important the requests are that it matches.
 *
 * @param ignoresCase whether endpoints that differ in letter case alone are one endpoint
 */
public record PriorityRule(List<Condition> match, Priority is, boolean ignoresCase) {

    public PriorityRule {
        match = List.copyOf(match);
    }

    /** The conditions, with patterns for endpoints in {@code form}. */
    List<Condition> matchIn(EndpointForm form) {
        return match.stream().map(each -> each.in(form, ignoresCase)).toList();
    }
}
