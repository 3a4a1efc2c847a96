package dev.weir.server.metrics;

import dev.weir.Limit;
import dev.weir.internal.model.MutableVerdict;

/**
 * Counts the hits of checks as the reference service does. It differs in one case: of several hits that cross a limit,
 * the reference counts those up to the limit as near it and the rest as over it; here all of them are over it.
 */
final class HitCounts {
    private final double nearLimit;

    HitCounts(double nearLimit) {
        this.nearLimit = nearLimit;
    }

    /** Adds the hits of a check. */
    void add(ThreadCounts mine, int position, MutableVerdict verdict) {
        Limit limit = verdict.limit();
        long hits = verdict.hits();
        if (limit == null || hits <= 0) {
            return;
        }
        mine.add(position, ThreadCounts.TOTAL_HITS, hits);
        if (!verdict.allowed()) {
            mine.add(position, ThreadCounts.OVER_HITS, hits);
            if (verdict.shadowed()) {
                mine.add(position, ThreadCounts.SHADOW_HITS, hits);
            }
            return;
        }
        mine.add(position, ThreadCounts.WITHIN_HITS, hits);
        long near = (long) Math.floor((float) limit.size() * (float) nearLimit);
        long after = limit.size() - verdict.remaining() + verdict.debt();
        if (after > near) {
            mine.add(position, ThreadCounts.NEAR_HITS, Math.min(hits, after - near));
        }
    }
}
