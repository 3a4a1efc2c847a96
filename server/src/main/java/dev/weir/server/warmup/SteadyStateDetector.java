package dev.weir.server.warmup;

/**
 * Detects that many batches of calls in a row were answered quickly: the JVM has then compiled what they need. A
 * distant store is judged by its own best time.
 */
final class SteadyStateDetector {
    private static final int BATCHES = 100;
    private static final int TIMES_THE_BEST = 3;

    private final long goodNanos;
    private long best;
    private int inARow;

    /** Counts a batch as quick if it takes at most {@code goodNanos}, or three times the best batch. */
    SteadyStateDetector(long goodNanos) {
        this.goodNanos = goodNanos;
    }

    /** Starts again, for another kind of call. */
    void restart() {
        best = Long.MAX_VALUE / TIMES_THE_BEST;
        inARow = 0;
    }

    /** Adds a batch whose last answer came {@code nanos} after its first call was sent. */
    void add(long nanos) {
        best = Math.min(best, nanos);
        inARow = nanos <= Math.max(goodNanos, TIMES_THE_BEST * best) ? inARow + 1 : 0;
    }

    boolean isReached() {
        return inARow >= BATCHES;
    }
}
