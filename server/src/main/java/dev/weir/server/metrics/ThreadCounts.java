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

    /** Hits, as the reference service counts them; only if they are asked for. */
    static final int TOTAL_HITS = 7;

    static final int OVER_HITS = 8;
    static final int NEAR_HITS = 9;
    static final int WITHIN_HITS = 10;
    static final int SHADOW_HITS = 11;

    /** The outcome of whole requests that replaces {@link #SHADOWED}. */
    static final int UNMATCHED = 2;

    /** Upper bounds of the histogram, microseconds; one more bucket has none. */
    static final int[] BOUNDS = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000};

    private static final int COUNTS = 12;
    private static final int HISTOGRAM = BOUNDS.length + 2;

    /** Fields of a position. */
    static final int FIELDS = COUNTS + 2 * HISTOGRAM;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] requests = new long[3];
    private volatile long[] counts = new long[64 * FIELDS];
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
        increase(room(position), position * FIELDS + field, by);
    }

    void time(int position, boolean allowed, long micros) {
        int bucket = 0;
        while (bucket < BOUNDS.length && micros > BOUNDS[bucket]) {
            bucket++;
        }
        long[] room = room(position);
        increase(room, position * FIELDS + histogram(allowed) + bucket, 1);
        increase(room, position * FIELDS + sum(allowed), Math.max(0, micros));
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
        long[] read = counts;
        int index = position * FIELDS + field;
        return index < read.length ? (long) LONGS.getOpaque(read, index) : 0;
    }

    long requests(int outcome) {
        return (long) LONGS.getOpaque(requests, outcome);
    }

    private long[] room(int position) {
        long[] room = counts;
        int needed = (position + 1) * FIELDS;
        if (room.length < needed) {
            room = Arrays.copyOf(room, Math.max(needed, room.length * 2));
            counts = room;
        }
        return room;
    }

    /** Adds without a lock, because there is one writer; opaque, so that a reader sees a whole value soon. */
    private static void increase(long[] array, int index, long by) {
        LONGS.setOpaque(array, index, array[index] + by);
    }
}
