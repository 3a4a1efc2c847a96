package dev.weir.control.change;

import org.jspecify.annotations.Nullable;

/**
 * What a change did, or would do.
 *
 * @param before the thing as JSON, or null where there was none
 * @param after the thing as JSON, or null where it is gone
 * @param version what the change is numbered; 0 where it was only tried, or changed nothing
 */
public record Change(@Nullable String before, @Nullable String after, long version) {}
