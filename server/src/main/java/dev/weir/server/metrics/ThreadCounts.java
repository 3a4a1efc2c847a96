package dev.weir.server.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The counts of one thread, which alone writes them; scrapes read them. A position is a run of fields in one array. */
final class ThreadCounts {
    /** One decision in this many is timed. */
    static final int SAMPLED = 16;

    static final int ALLOWED = 0;
    static final int DENIED = 1;
    static final int SHADOWED = 2;
    static final int MISSING_KEY = 3;
    static final int DEGRADED = 4;
    static final int FAIL_OPEN = 5;
    static final int OVERRIDE_IGNORED = 6;
    static final int ON_CREDIT = 12;

    /** Hits, as the reference service counts them; only if they are asked for. */
    static final int TOTAL_HITS = 7;

    static final int OVER_HITS = 8;
    static final int NEAR_HITS = 9;
    static final int WITHIN_HITS = 10;
    static final int SHADOW_HITS = 11;

    /** The outcome of whole requests that replaces {@link #SHADOWED}. */
    static final int UNMATCHED = 2;

    private static final int COUNTS = 13;
    /** The buckets of a histogram, and its sum. */
    private static final int HISTOGRAM = LatencyBuckets.COUNT + 1;

    /** Fields of a position. */
    static final int FIELDS = COUNTS + 2 * HISTOGRAM;

    private static final int TIMES = FIELDS - COUNTS;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] requests = new long[3];
    private final long[] whole = new long[DecidedBy.values().length * HISTOGRAM];
    private volatile long[] counts = new long[64 * COUNTS];
    /** The histograms of positions; those at or beyond {@link SeriesPositions#TIMED} share one. */
    private volatile long[] times = new long[64 * TIMES];

    private int sinceSample;
    private @Nullable MajorityCounters majorities;

    /** The first field of the histogram of allowed or of denied checks; its last field is the sum. */
    static int histogram(boolean allowed) {
        return COUNTS + (allowed ? 0 : HISTOGRAM);
    }

    /** The field that holds the sum of a histogram's microseconds. */
    static int sum(boolean allowed) {
        return histogram(allowed) + HISTOGRAM - 1;
    }

    void request(int outcome) {
        increase(requests, outcome, 1);
    }

    void add(int position, int field) {
        add(position, field, 1);
    }

    void add(int position, int field, long by) {
        long[] room = counts;
        int needed = (position + 1) * COUNTS;
        if (room.length < needed) {
            room = Arrays.copyOf(room, Math.max(needed, room.length * 2));
            counts = room;
        }
        increase(room, position * COUNTS + field, by);
    }

    void time(int position, boolean allowed, long micros) {
        int timed = position < SeriesPositions.TIMED ? position : SeriesPositions.OTHERS;
        long[] room = times;
        int needed = (timed + 1) * TIMES;
        if (room.length < needed) {
            room = Arrays.copyOf(room, Math.max(needed, room.length * 2));
            times = room;
        }
        int first = timed * TIMES - COUNTS;
        increase(room, first + histogram(allowed) + LatencyBuckets.of(micros), 1);
        increase(room, first + sum(allowed), Math.max(0, micros));
    }

    /** Counts the latency of a whole request. */
    void time(DecidedBy by, long micros) {
        int first = by.index() * HISTOGRAM;
        increase(whole, first + LatencyBuckets.of(micros), 1);
        increase(whole, first + HISTOGRAM - 1, Math.max(0, micros));
    }

    /** A bucket of the histogram of whole requests, or with {@link LatencyBuckets#COUNT} the sum of microseconds. */
    long whole(DecidedBy by, int bucket) {
        return (long) LONGS.getOpaque(whole, by.index() * HISTOGRAM + bucket);
    }

    /** Whether this decision is sampled. */
    boolean sample() {
        return (sinceSample++ & (SAMPLED - 1)) == 0;
    }

    /** This thread's majority counters while {@code generation} is in force. */
    MajorityCounters majorities(RuleMetrics.Generation generation) {
        MajorityCounters open = majorities;
        if (open == null || open.generation() != generation) {
            open = generation.addThread();
            majorities = open;
        }
        return open;
    }

    long get(int position, int field) {
        boolean counted = field < COUNTS;
        long[] read = counted ? counts : times;
        int index = counted ? position * COUNTS + field : position * TIMES + field - COUNTS;
        return (counted || position < SeriesPositions.TIMED) && index < read.length
                ? (long) LONGS.getOpaque(read, index)
                : 0;
    }

    long requests(int outcome) {
        return (long) LONGS.getOpaque(requests, outcome);
    }

    /** Adds without a lock, because there is one writer; opaque, so that a reader sees a whole value soon. */
    private static void increase(long[] array, int index, long by) {
        LONGS.setOpaque(array, index, array[index] + by);
    }
}
