package dev.weir.control.change;

import org.jspecify.annotations.Nullable;

/**
 * The effect of a change, or the effect that it would have.
 *
 * @param before the record as JSON; null if it did not exist
 * @param after the record as JSON; null if it was deleted
 * @param version the number of the change; 0 if it was a dry run or changed nothing
 */
public record Change(@Nullable String before, @Nullable String after, long version) {}
