package dev.weir.internal.region;

/**
 * One region's part in a counter, as far as this process knows it, for people.
 *
 * @param used the hits that the region has admitted in this window, as far as is known
 * @param ageMicros how old that is; -1 if the region has not answered yet
 * @param silent whether the region does not answer, so that its share of what was left is kept for it
 */
public record RegionView(String region, long used, long ageMicros, boolean silent) {}
