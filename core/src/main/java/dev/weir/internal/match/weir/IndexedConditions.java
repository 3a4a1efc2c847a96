package dev.weir.internal.match.weir;

import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.EndpointPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** Splits the conditions of one rule into those that an index can look up and the rest. */
final class IndexedConditions {
    /** Lists multiply, so a rule is in the index under at most this many combinations of values. */
    private static final int MOST_COMBINATIONS = 4096;

    /** Exact values by position. */
    private final TreeMap<Integer, List<String>> exact = new TreeMap<>();

    private final List<CompiledCondition> rest = new ArrayList<>();
    private long combinations = 1;

    /** Splits {@code match}; equal texts and conditions become one object, from {@code texts} and {@code shared}. */
    IndexedConditions(
            List<Condition> match,
            ToIntFunction<String> positionOf,
            Map<String, String> texts,
            Map<List<Object>, CompiledCondition> shared) {
        for (Condition each : match) {
            int position = positionOf.applyAsInt(each.attribute());
            boolean always =
                    each.anyOf().stream().anyMatch(p -> p instanceof EndpointPattern endpoint && endpoint.isAny());
            if (!always && !index(position, each, texts)) {
                rest.add(shared.computeIfAbsent(
                        List.of(position, each), ignored -> new CompiledCondition(position, each.anyOf())));
            }
        }
    }

    /** Whether the index alone decides the condition. */
    private boolean index(int position, Condition condition, Map<String, String> texts) {
        String attribute = condition.attribute();
        List<String> values = condition.anyOf().stream()
                .map(each -> CompiledCondition.indexable(each, attribute))
                .filter(Objects::nonNull)
                .distinct()
                // A copy is allocated near the rule; the file's own text is elsewhere in memory, a cache miss away.
                .map(each -> texts.computeIfAbsent(each, text -> new String(text.toCharArray())))
                .toList();
        boolean all = condition.anyOf().stream().allMatch(each -> CompiledCondition.indexable(each, attribute) != null);
        if (!all || exact.containsKey(position) || combinations * values.size() > MOST_COMBINATIONS) {
            return false;
        }
        combinations *= values.size();
        exact.put(position, values);
        return condition.anyOf().stream().noneMatch(each -> each instanceof EndpointPattern path && path.asksMethod());
    }

    /** The positions that the index uses, in order. */
    List<Integer> positions() {
        return List.copyOf(exact.keySet());
    }

    /** Every combination of values, in the order of the positions. */
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

    /** The conditions that remain for a request that the index has found. */
    List<CompiledCondition> rest() {
        return rest;
    }
}
