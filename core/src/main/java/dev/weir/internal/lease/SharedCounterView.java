package dev.weir.internal.lease;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;

/**
 * Estimates the state of a shared counter from the answers to this process's own asks: the hits left, and this
 * process's share of what is taken. Hits that others take show as missing hits; no list of active nodes is needed.
 *
 * <pre>
 *   others = hits left before + refilled since + given back - taken by me - hits left now
 *   share  = mine / (mine + others), of late
 * </pre>
 */
final class SharedCounterView {
    /** The share before anything is known: a quarter. */
    private static final long FIRST_MINE = 1;

    private static final long FIRST_ALL = 4;
    /** Scales the averages, so that small numbers fade instead of sticking. */
    private static final long SCALE = 16;

    private final Limit limit;
    private boolean known;
    private long at;
    private long mine;
    private long others;
    /** Read without a lock to tell callers what remains. */
    private volatile long remaining;

    private volatile long resets;

    SharedCounterView(Limit limit) {
        this.limit = limit;
    }

    /** Records an answer: {@code taken} hits are ours, and {@code outcome} is the state after them. */
    void learn(long taken, Outcome outcome, long asked) {
        long now = Math.min(outcome.remaining, Long.MAX_VALUE / SCALE / 4);
        if (known) {
            long missing = Math.max(0, hitsLeft(asked) - taken - now);
            mine = fade(mine) + Math.min(taken, Long.MAX_VALUE / SCALE / 4) * SCALE;
            others = fade(others) + missing * SCALE;
        }
        known = true;
        at = asked;
        remaining = now;
        resets = asked + Math.min(outcome.reset, 1L << 50) * 1_000;
    }

    /** Records that this process has sent {@code hits} back. */
    void returned(long hits) {
        remaining = Math.min(limit.capacity(), remaining + hits);
    }

    /** The hits left, as last reported. */
    long remaining() {
        return remaining;
    }

    /** Microseconds until the counter is as good as new, as last reported. */
    long reset(long now) {
        return Math.max(0, (resets - now) / 1_000);
    }

    /** Microseconds until {@code hits} fit into a bucket, as last reported: it is full when it is as good as new. */
    long untilFit(long hits, long now) {
        return Math.max(0, reset(now) - Fractions.of(limit.windowMicros(), limit.capacity() - hits, limit.requests()));
    }

    /**
     * Half of this process's share of the hits left. It shrinks with them, so a counter that is nearly used up is asked
     * hit by hit.
     */
    long fairShare(long now) {
        return known ? share(hitsLeft(now)) / 2 : 0;
    }

    /** The same for an exhausted bucket, with the whole share of the inflow since: there will be more. */
    long inflowShare(long now) {
        return known ? share(hitsLeft(now) - remaining / 2) : 0;
    }

    /** Nanoseconds until {@code hits} have flowed in for this process. */
    long timeFor(long hits) {
        long all = Fractions.of(hits, mine + others + FIRST_ALL * SCALE, mine + FIRST_MINE * SCALE);
        return Math.min(Fractions.of(limit.windowMicros(), all, limit.requests()), 1L << 50) * 1_000;
    }

    private long share(long hits) {
        return Fractions.of(hits, mine + FIRST_MINE * SCALE, mine + others + FIRST_ALL * SCALE);
    }

    /** The hits left at {@code now} if no process has taken any since. */
    private long hitsLeft(long now) {
        if (limit.algorithm() == Algorithm.FIXED_WINDOW) {
            return now - resets >= 0 ? limit.capacity() : remaining;
        }
        long elapsed = Math.min(limit.windowMicros(), Math.max(0, now - at) / 1_000);
        long refilled = Fractions.of(limit.requests(), elapsed, limit.windowMicros());
        return Math.min(limit.capacity(), remaining + refilled);
    }

    private static long fade(long sum) {
        return sum - sum / 4;
    }
}
