package dev.weir.internal.report;

import java.util.concurrent.atomic.LongAdder;

/** Counts the reports and their hits since the start, for metrics. */
public final class ReportStats {
    final LongAdder reports = new LongAdder();
    final LongAdder hits = new LongAdder();
    final LongAdder over = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder denied = new LongAdder();

    /** Reports that were sent. */
    public long reports() {
        return reports.sum();
    }

    /** Hits that stores have counted. */
    public long hits() {
        return hits.sum();
    }

    /** Hits that did not fit when they were reported: the nodes together admitted them beyond the limit. */
    public long over() {
        return over.sum();
    }

    /** Hits that were not reported before their window ended, and so are charged to nobody. */
    public long dropped() {
        return dropped.sum();
    }

    /** Checks that were denied because the nodes together had admitted too much. */
    public long denied() {
        return denied.sum();
    }
}
