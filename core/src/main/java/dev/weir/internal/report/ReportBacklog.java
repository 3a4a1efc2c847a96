package dev.weir.internal.report;

/** The hits that a counter still has to report, by their certainty. The counter guards it. */
final class ReportBacklog {
    /** Hits that passed since the last report, less those given back. */
    private long fresh;
    /** Hits that the store refused, because others had taken them. */
    private long owed;
    /** Hits of reports without an answer; the store may have counted them. */
    private long unconfirmed;

    private long sentFresh;
    private long sentOwed;
    private long sentUnconfirmed;

    boolean isEmpty() {
        return fresh == 0 && owed == 0 && unconfirmed == 0;
    }

    long fresh() {
        return fresh;
    }

    /** The fresh hits in the last report. */
    long sentFresh() {
        return sentFresh;
    }

    long owed() {
        return owed;
    }

    long unconfirmed() {
        return unconfirmed;
    }

    void add(long hits) {
        fresh = saturated(fresh, hits);
    }

    /** All hits to report; they are in flight from now on. */
    long send() {
        sentFresh = fresh;
        sentOwed = owed;
        sentUnconfirmed = unconfirmed;
        fresh = 0;
        owed = 0;
        unconfirmed = 0;
        return saturated(saturated(sentFresh, sentOwed), sentUnconfirmed);
    }

    /**
     * Records that the store refused {@code hits} of the last report. They are owed, except those that it may have
     * counted before. Returns how many it had not refused already.
     */
    long refused(long hits) {
        owed = Math.max(0, hits - sentUnconfirmed);
        return Math.max(0, hits - sentOwed);
    }

    /**
     * Records that the store did not answer. Hits are reported again, because counting them twice is better than never.
     * Hits that were given back are lost instead: reported twice, they would grant hits that nobody gave back.
     */
    void unanswered() {
        owed = sentOwed;
        unconfirmed = saturated(Math.max(0, sentFresh), sentUnconfirmed);
    }

    /** Keeps at most {@code most} of the unconfirmed hits; returns how many are dropped. */
    long dropUnconfirmed(long most) {
        long dropped = Math.max(0, unconfirmed - most);
        unconfirmed -= dropped;
        return dropped;
    }

    long dropOwed() {
        long dropped = owed;
        owed = 0;
        return dropped;
    }

    long dropFresh() {
        long dropped = Math.max(0, fresh);
        fresh = 0;
        return dropped;
    }

    static long saturated(long sum, long more) {
        long after = sum + more;
        boolean wrapped = ((sum ^ after) & (more ^ after)) < 0;
        return wrapped ? (more < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE) : after;
    }
}
