package dev.weir.server.rlqs;

import java.util.Map;

/**
 * The hits that one Envoy holds for one bucket.
 *
 * @param envoy the Envoy's name for itself, unproven, or its address
 * @param assignment what the Envoy was told last: grant, exhausted, allow_all, deny_all or none
 * @param held the hits that were granted and that it may still spend, or has not reported yet
 * @param perSecond the requests that it asks for in a second; 0 before its second report
 */
public record QuotaHolding(String envoy, Map<String, String> bucket, String assignment, long held, double perSecond) {
    public QuotaHolding {
        bucket = Map.copyOf(bucket);
    }
}
