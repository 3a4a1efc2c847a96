package dev.weir.internal.match.keyby;

/**
 * Names the counter of a verdict, for people.
 *
 * @param text its values, {@code api_key=abc}; escaped and truncated, empty for a counter that all requests share
 * @param bucket an id that is the same in every process at any time, so that a caller can tell which routes share a
 *     counter
 */
public record CounterLabel(String text, String bucket) {}
