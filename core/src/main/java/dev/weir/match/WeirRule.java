package dev.weir.match;

import dev.weir.model.Rule;
import java.util.List;

/** A rule in Weir's spelling with whom it matches and what shares a counter. */
public record WeirRule(Rule rule, List<Condition> match, KeyBy keyBy) {

    public WeirRule {
        match = List.copyOf(match);
    }
}
