package dev.weir.internal.model;

/**
 * The hits that a hold took from one limit.
 *
 * @param rule the id of the rule
 * @param descriptor the descriptor of the request that the rule matched
 * @param hits the hits, or {@link #UNKNOWN}
 * @param window for a fixed window, the start of the window that they were taken from; else 0
 * @param untilMicros when the limit has forgotten the hits, microseconds since the epoch
 */
public record HeldHits(String rule, int descriptor, long hits, long window, long untilMicros) {
    /** The hits if the store did not answer: settling must not touch the limit. */
    public static final long UNKNOWN = -1;
}
