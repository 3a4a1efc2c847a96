package dev.weir.internal.match.pattern;

import java.util.ArrayList;
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

    /** The same condition for endpoints in {@code form}, whose letters are in lower case if {@code ignoresCase}. */
    public Condition in(EndpointForm form, boolean ignoresCase) {
        if (anyOf.stream().noneMatch(EndpointPattern.class::isInstance)) {
            return this;
        }
        List<ValuePattern> inForm = new ArrayList<>();
        for (ValuePattern each : anyOf) {
            inForm.add(each instanceof EndpointPattern endpoint ? endpoint.in(form, ignoresCase) : each);
        }
        return new Condition(attribute, inForm);
    }
}
