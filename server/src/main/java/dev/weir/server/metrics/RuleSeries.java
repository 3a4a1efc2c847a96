package dev.weir.server.metrics;

/**
 * The counts of one rule, by domain and label, over all threads since the rule came into force. It stays the same object
 * while some rule has this domain and label.
 */
public final class RuleSeries {
    private final String domain;
    private final String rule;
    private final int position;
    private final boolean exposed;
    /** The counts of the position when it was assigned, which belong to an earlier series. */
    private final long[] before;

    private final SeriesPositions.Totals totals;

    RuleSeries(
            String domain, String rule, int position, boolean exposed, long[] before, SeriesPositions.Totals totals) {
        this.domain = domain;
        this.rule = rule;
        this.position = position;
        this.exposed = exposed;
        this.before = before;
        this.totals = totals;
    }

    public String domain() {
        return domain;
    }

    /** The label of the rule. */
    public String rule() {
        return rule;
    }

    int position() {
        return position;
    }

    /** Whether metrics show this series, rather than adding it to that of all others. */
    boolean exposed() {
        return exposed;
    }

    long count(int field) {
        return totals.total(position, field) - before[field];
    }

    /** Checks that were within the limit. */
    public long allowed() {
        return count(ThreadCounts.ALLOWED);
    }

    /** Checks that were over the limit and denied. */
    public long denied() {
        return count(ThreadCounts.DENIED);
    }

    /** Checks that were over the limit, and not denied because of shadow mode. */
    public long shadowed() {
        return count(ThreadCounts.SHADOWED);
    }

    /** Checks that {@code on_fail} decided. */
    public long degraded() {
        return count(ThreadCounts.DEGRADED);
    }

    /**
     * Adds the timed checks of each bucket to {@code into}, which has one element per bucket of {@link LatencyBuckets};
     * rules without a histogram of their own add nothing.
     */
    public void addLatencies(long[] into) {
        if (!exposed) {
            return;
        }
        for (int bucket = 0; bucket < into.length; bucket++) {
            into[bucket] +=
                    count(ThreadCounts.histogram(true) + bucket) + count(ThreadCounts.histogram(false) + bucket);
        }
    }
}
