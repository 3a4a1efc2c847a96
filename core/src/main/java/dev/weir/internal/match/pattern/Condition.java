package dev.weir.internal.match.pattern;

import java.util.Arrays;
import java.util.List;

/** A condition of a rule on one attribute: it matches any of these patterns. */
public record Condition(String attribute, List<ValuePattern> anyOf) {

    public Condition {
        anyOf = List.copyOf(anyOf);
        if (anyOf.isEmpty()) {
            throw new IllegalArgumentException(attribute + ": [] (expected: at least one value)");
        }
    }

    /** The condition that {@code attribute} matches one of {@code texts}, each parsed by {@link ValuePattern#parse}. */
    public static Condition of(String attribute, String... texts) {
        return new Condition(
                attribute,
                Arrays.stream(texts)
                        .map(text -> ValuePattern.parse(attribute, text))
                        .toList());
    }
}
