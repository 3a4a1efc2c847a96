package dev.weir.server.warmup;

/**
 * Whether waves of calls come back in good time, many in a row: then the JVM has compiled what they need, and what it still compiles
 * does not hold them up. A store that is far away is measured by its own best time.
 */
final class SteadyStateDetector {
    private static final int WAVES = 100;
    private static final int TIMES_THE_BEST = 3;

    private final long goodNanos;
    private long best;
    private int inARow;

    /** Calm is when waves take no longer than {@code goodNanos}. */
    SteadyStateDetector(long goodNanos) {
        this.goodNanos = goodNanos;
    }

    /** Other calls come from now on. */
    void begin() {
        best = Long.MAX_VALUE / TIMES_THE_BEST;
        inARow = 0;
    }

    /** The last call of a wave was answered {@code nanos} after its first was sent. */
    void wave(long nanos) {
        best = Math.min(best, nanos);
        inARow = nanos <= Math.max(goodNanos, TIMES_THE_BEST * best) ? inARow + 1 : 0;
    }

    boolean isReached() {
        return inARow >= WAVES;
    }
}
