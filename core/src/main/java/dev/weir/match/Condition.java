package dev.weir.match;

import java.util.List;

/** What a rule asks of one attribute: any of these patterns. */
public record Condition(String attribute, List<ValuePattern> anyOf) {

    public Condition {
        anyOf = List.copyOf(anyOf);
    }
}
