package dev.weir.server.rlqs;

/**
 * The stream of an Envoy, as operators see it.
 *
 * @param envoy the Envoy's name for itself, unproven, or its address
 * @param domain of all its buckets
 * @param held the hits of all buckets that it may still spend, or has not reported yet
 * @param openedMicros when the stream opened, microseconds since the epoch
 * @param reportedMicros when it reported last
 */
public record QuotaPeer(String envoy, String domain, int buckets, long held, long openedMicros, long reportedMicros) {}
