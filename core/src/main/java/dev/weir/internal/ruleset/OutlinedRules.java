package dev.weir.internal.ruleset;

import dev.weir.RuleSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules of which at least the outlines are known: all but those of a server that has not told them yet. */
public interface OutlinedRules extends RuleSet {

    /** The outline of every rule, in the order of their definition. */
    List<RuleOutline> outlines();

    /** The rule {@code name} of {@code domain}; null if there is none. */
    default @Nullable RuleOutline outline(String domain, String name) {
        for (RuleOutline each : outlines()) {
            if (each.name().equals(name) && each.domain().equals(domain)) {
                return each;
            }
        }
        return null;
    }
}
