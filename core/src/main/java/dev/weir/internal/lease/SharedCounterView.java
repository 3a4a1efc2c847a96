package dev.weir.internal.lease;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;

/**
 * What this process knows of a shared counter from the answers to its own asks: the room that is left, and which part of what is
 * taken from it is its own. What others take shows as room that is missing: nobody keeps a list of who is active.
 *
 * <pre>
 *   others = room before + refilled since + given back - taken by me - room now
 *   share  = mine / (mine + others), of late
 * </pre>
 */
final class SharedCounterView {
    /** Before anything is known, a quarter is thought to be fair. */
    private static final long FIRST_MINE = 1;

    private static final long FIRST_ALL = 4;
    /** Scales what is averaged, so that small numbers fade and do not stick. */
    private static final long SCALE = 16;

    private final Limit limit;
    private boolean known;
    private long at;
    private long mine;
    private long others;
    /** Read without a lock by whoever tells a caller what remains. */
    private volatile long remaining;

    private volatile long resets;

    SharedCounterView(Limit limit) {
        this.limit = limit;
    }

    /** Takes in an answer: {@code taken} hits are ours, and {@code outcome} is as things stand after them. */
    void learn(long taken, Outcome outcome, long asked) {
        long now = Math.min(outcome.remaining, Long.MAX_VALUE / SCALE / 4);
        if (known) {
            long missing = Math.max(0, room(asked) - taken - now);
            mine = fade(mine) + Math.min(taken, Long.MAX_VALUE / SCALE / 4) * SCALE;
            others = fade(others) + missing * SCALE;
        }
        known = true;
        at = asked;
        remaining = now;
        resets = asked + Math.min(outcome.reset, 1L << 50) * 1_000;
    }

    /** This process has sent {@code hits} back. */
    void returned(long hits) {
        remaining = Math.min(limit.capacity(), remaining + hits);
    }

    /** The room as last told. */
    long remaining() {
        return remaining;
    }

    /** Microseconds until the counter is as good as new, as last told. */
    long reset(long now) {
        return Math.max(0, (resets - now) / 1_000);
    }

    /** Microseconds until {@code hits} fit into a bucket, as last told: it is full when it is as good as new. */
    long untilFit(long hits, long now) {
        return Math.max(0, reset(now) - Fractions.of(limit.windowMicros(), limit.capacity() - hits, limit.requests()));
    }

    /** Half of this process's share of the room: as it shrinks with the room, a counter that runs dry is asked hit by hit. */
    long fairPart(long now) {
        return known ? share(room(now)) / 2 : 0;
    }

    /** The same of a bucket that has run dry, with the whole share of what has flowed in since: more flows in where that came from. */
    long inflowPart(long now) {
        return known ? share(room(now) - remaining / 2) : 0;
    }

    /** Nanoseconds until {@code hits} have flowed in for this process. */
    long timeFor(long hits) {
        long all = Fractions.of(hits, mine + others + FIRST_ALL * SCALE, mine + FIRST_MINE * SCALE);
        return Math.min(Fractions.of(limit.windowMicros(), all, limit.requests()), 1L << 50) * 1_000;
    }

    private long share(long hits) {
        return Fractions.of(hits, mine + FIRST_MINE * SCALE, mine + others + FIRST_ALL * SCALE);
    }

    /** The room if nobody has taken anything since. */
    private long room(long now) {
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
