package dev.weir.server.rlqs;

import java.util.List;

/**
 * A message of Envoy: the requests of its buckets since its last report.
 *
 * @param domain of all buckets on the stream
 */
record UsageReport(String domain, List<Usage> usages) {

    /** The requests of one bucket; numbers beyond {@code Long.MAX_VALUE} are that. */
    record Usage(QuotaBucketId bucket, long allowed, long denied) {

        /** The requests that Envoy got. */
        long asked() {
            long sum = allowed + denied;
            return sum < 0 ? Long.MAX_VALUE : sum;
        }
    }
}
