package dev.weir.server.metrics;

/** The buckets of all latency histograms, in microseconds. */
public final class LatencyBuckets {
    /** Upper bounds; one more bucket has none. */
    static final int[] BOUNDS = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000};

    /** How many buckets there are, with the one that has no bound. */
    public static final int COUNT = BOUNDS.length + 1;

    private LatencyBuckets() {}

    static int of(long micros) {
        int bucket = 0;
        while (bucket < BOUNDS.length && micros > BOUNDS[bucket]) {
            bucket++;
        }
        return bucket;
    }

    /**
     * Estimates a quantile from the counts of the buckets, in microseconds, as if latencies were spread evenly within a
     * bucket; -1 without counts.
     */
    public static int quantile(long[] counts, double quantile) {
        long all = 0;
        for (long each : counts) {
            all += each;
        }
        if (all <= 0) {
            return -1;
        }
        double rank = quantile * all;
        long below = 0;
        for (int bucket = 0; bucket < BOUNDS.length; bucket++) {
            if (below + counts[bucket] >= rank && counts[bucket] > 0) {
                double from = bucket == 0 ? 0 : BOUNDS[bucket - 1];
                double share = (rank - below) / counts[bucket];
                return (int) Math.ceil(from + share * (BOUNDS[bucket] - from));
            }
            below += counts[bucket];
        }
        return BOUNDS[BOUNDS.length - 1];
    }
}
