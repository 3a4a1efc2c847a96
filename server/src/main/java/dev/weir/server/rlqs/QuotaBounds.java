package dev.weir.server.rlqs;

import dev.weir.internal.runtime.HeapShare;

/**
 * The most that all Envoys of a server may make it hold.
 *
 * @param waiting bytes of reports that wait for the worker
 * @param buckets buckets on all streams
 * @param memory bytes of all streams, buckets and grants, as {@link QuotaBucketId#bytes} estimates them
 */
record QuotaBounds(long waiting, int buckets, long memory) {
    private static final int BUCKETS = 200_000;

    static QuotaBounds ofThisHeap() {
        return new QuotaBounds(HeapShare.QUOTA_REPORTS.ofThisHeap(), BUCKETS, HeapShare.QUOTA_BUCKETS.ofThisHeap());
    }
}
