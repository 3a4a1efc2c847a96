package dev.weir.internal.model;

import java.util.List;

/**
 * The cost of requests by endpoint, as a rule file writes it: {@code costs: { "POST *": 5, "/search": 10 }}. Of several
 * patterns that match, the most specific one holds: a path without a star, then the path with more characters beside its
 * stars, then the one that also names the method.
 *
 * @param ignoresCase whether endpoints that differ in letter case alone are one endpoint
 */
public record EndpointCosts(List<Entry> entries, boolean ignoresCase) {

    /** The hits of a request whose endpoint matches {@code pattern}. */
    public record Entry(String pattern, long hits) {}

    public EndpointCosts {
        entries = List.copyOf(entries);
    }
}
