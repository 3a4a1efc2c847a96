package dev.weir.internal.report;

/** What a counter has to tell its store, by how sure that is. Its counter guards it. */
final class ReportBacklog {
    /** What passed since the store was last told, less what came back. */
    private long fresh;
    /** What the store refused: others had taken it. */
    private long owed;
    /** What reports carried that had no answer: it may have been counted. */
    private long again;

    private long sentFresh;
    private long sentOwed;
    private long sentAgain;

    boolean isEmpty() {
        return fresh == 0 && owed == 0 && again == 0;
    }

    long fresh() {
        return fresh;
    }

    /** What of that which was last sent had not been told before. */
    long sentFresh() {
        return sentFresh;
    }

    long owed() {
        return owed;
    }

    long again() {
        return again;
    }

    void add(long hits) {
        fresh = saturated(fresh, hits);
    }

    /** All that there is to tell, on its way from now on. */
    long send() {
        sentFresh = fresh;
        sentOwed = owed;
        sentAgain = again;
        fresh = 0;
        owed = 0;
        again = 0;
        return saturated(saturated(sentFresh, sentOwed), sentAgain);
    }

    /**
     * The store refused {@code hits} of what was sent: they are owed, but for those that it may have counted before. Returns how many
     * it had not refused already.
     */
    long refused(long hits) {
        owed = Math.max(0, hits - sentAgain);
        return Math.max(0, hits - sentOwed);
    }

    /**
     * The store did not answer: what was sent is told again, rather twice than never. What comes back is rather lost: told twice, it would be
     * room that nobody gave.
     */
    void unanswered() {
        owed = sentOwed;
        again = saturated(Math.max(0, sentFresh), sentAgain);
    }

    /** Keeps what is owed, and no more than {@code most} of what is told again; returns what is dropped. */
    long dropAgain(long most) {
        long dropped = Math.max(0, again - most);
        again -= dropped;
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
