package dev.weir.internal.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Names the rules that a descriptor of a request asks: {@link dev.weir.Request#onlyRules} in a form that can be sent to a server.
 *
 * @param descriptor the descriptor, counted from 1; 0 for every descriptor
 * @param except whether the descriptor asks all rules but these, and not these alone
 */
public record RuleSelection(int descriptor, boolean except, Set<String> names) {
    /** No rule has this name. */
    private static final String NO_RULE = "";

    public RuleSelection {
        names = Set.copyOf(names);
    }

    /**
     * The selections that {@code filter} makes of {@code rules}, those of a domain, for a request with so many descriptors. Rules
     * that are not among them, because they are new, are asked if a rule without a name would be. Null if no descriptor asks any
     * rule.
     */
    public static @Nullable List<RuleSelection> of(
            BiPredicate<String, Integer> filter, int descriptors, List<String> rules) {
        List<RuleSelection> selections = new ArrayList<>();
        boolean any = false;
        for (int i = 0; i < descriptors; i++) {
            boolean except = filter.test(NO_RULE, i);
            Set<String> names = new HashSet<>();
            for (String each : rules) {
                if (filter.test(each, i) != except) {
                    names.add(each);
                }
            }
            any |= except || !names.isEmpty();
            if (!except || !names.isEmpty()) {
                selections.add(new RuleSelection(descriptors == 1 ? 0 : i + 1, except, names));
            }
        }
        return any ? selections : null;
    }

    /** The filter that {@code selections} make together; a descriptor without one asks all rules. */
    public static BiPredicate<String, Integer> all(List<RuleSelection> selections) {
        return (rule, descriptor) -> {
            for (RuleSelection each : selections) {
                if ((each.descriptor == 0 || each.descriptor == descriptor + 1)
                        && each.names.contains(rule) == each.except) {
                    return false;
                }
            }
            return true;
        };
    }
}
