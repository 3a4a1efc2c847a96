package dev.weir.internal.match.weir;

import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** The conditions of one rule, split into what an index can look up and the rest. */
final class IndexedConditions {
    /** Lists multiply: a rule stands in the index under at most so many combinations of values. */
    private static final int MOST_COMBINATIONS = 4096;

    /** Exact values by slot. */
    private final TreeMap<Integer, List<String>> exact = new TreeMap<>();

    private final List<CompiledCondition> rest = new ArrayList<>();
    private long combinations = 1;

    /** Splits {@code match}; equal texts and conditions become one object, that of {@code texts} and {@code shared}. */
    IndexedConditions(
            List<Condition> match,
            ToIntFunction<String> slotOf,
            Map<String, String> texts,
            Map<Condition, CompiledCondition> shared) {
        for (Condition each : match) {
            int slot = slotOf.applyAsInt(each.attribute());
            boolean always =
                    each.anyOf().stream().anyMatch(p -> p instanceof EndpointPattern endpoint && endpoint.isAny());
            if (!always && !index(slot, each, texts)) {
                rest.add(shared.computeIfAbsent(each, ignored -> new CompiledCondition(slot, each.anyOf())));
            }
        }
    }

    /** Whether the index alone decides the condition. */
    private boolean index(int slot, Condition condition, Map<String, String> texts) {
        String attribute = condition.attribute();
        List<String> values = condition.anyOf().stream()
                .map(each -> CompiledCondition.indexable(each, attribute))
                .filter(Objects::nonNull)
                .distinct()
                // A copy lies where the rule does. The file's own text lies where that was read, a miss of the cache
                // away.
                .map(each -> texts.computeIfAbsent(each, text -> new String(text.toCharArray())))
                .toList();
        boolean all = condition.anyOf().stream().allMatch(each -> CompiledCondition.indexable(each, attribute) != null);
        if (!all || exact.containsKey(slot) || combinations * values.size() > MOST_COMBINATIONS) {
            return false;
        }
        combinations *= values.size();
        exact.put(slot, values);
        return condition.anyOf().stream().noneMatch(each -> each instanceof EndpointPattern path && path.asksMethod());
    }

    /** The slots that the index looks at, in order. */
    List<Integer> slots() {
        return List.copyOf(exact.keySet());
    }

    /** Every combination of values, in the order of the slots. */
    List<List<String>> combinations() {
        List<List<String>> all = List.of(List.of());
        for (List<String> values : exact.values()) {
            List<List<String>> longer = new ArrayList<>();
            for (List<String> each : all) {
                for (String value : values) {
                    List<String> next = new ArrayList<>(each);
                    next.add(value);
                    longer.add(next);
                }
            }
            all = longer;
        }
        return all;
    }

    /** What is left to ask of a request that the index has found. */
    List<CompiledCondition> rest() {
        return rest;
    }
}
