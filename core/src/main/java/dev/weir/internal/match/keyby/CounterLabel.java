package dev.weir.internal.match.keyby;

/**
 * Which counter a verdict speaks of, for people.
 *
 * @param text its values, {@code api_key=abc}; escaped and cut short, empty for a counter that all share
 * @param bucket an id that is the same in every process and on every day: what tells a caller which routes share a counter
 */
public record CounterLabel(String text, String bucket) {}
