package dev.weir.internal.match.weir;

import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.model.Rule;
import java.util.List;

/** A rule in Weir's format with the requests it matches and the key of its counters. */
public record WeirRule(Rule rule, List<Condition> match, KeyBy keyBy) {

    public WeirRule {
        match = List.copyOf(match);
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
