package dev.weir.internal.report;

import java.util.concurrent.atomic.LongAdder;

/** What became of counts to report, since the start: what metrics hang on. */
public final class ReportStats {
    final LongAdder reports = new LongAdder();
    final LongAdder hits = new LongAdder();
    final LongAdder over = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder denied = new LongAdder();

    /** Times that a store was told. */
    public long reports() {
        return reports.sum();
    }

    /** Hits that stores have counted. */
    public long hits() {
        return hits.sum();
    }

    /** Hits that did not fit any more when they were reported: what nodes admitted together beyond the limit. */
    public long over() {
        return over.sum();
    }

    /** Hits that were not reported before their window had gone, and so are charged to nobody. */
    public long dropped() {
        return dropped.sum();
    }

    /** Checks that were denied, for the nodes together had let too much pass. */
    public long denied() {
        return denied.sum();
    }
}
