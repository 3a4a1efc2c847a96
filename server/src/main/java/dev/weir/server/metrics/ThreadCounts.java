package dev.weir.server.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The counts of one thread: it alone writes, whoever scrapes reads. A slot is a run of fields in one array. */
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

    /** In place of {@link #SHADOWED} for requests as a whole. */
    static final int UNMATCHED = 2;

    /** Upper bounds of the histogram, microseconds; one more bucket has none. */
    static final int[] BOUNDS = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000};

    private static final int COUNTS = 7;
    private static final int HISTOGRAM = BOUNDS.length + 2;

    /** Fields of a slot. */
    static final int FIELDS = COUNTS + 2 * HISTOGRAM;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] requests = new long[3];
    private volatile long[] counts = new long[64 * FIELDS];
    private int sinceSample;
    private @Nullable MajorityCounters votes;

    /** First field of the histogram of what had room, or had none; its last field is the sum. */
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

    void add(int slot, int field) {
        increase(room(slot), slot * FIELDS + field, 1);
    }

    void time(int slot, boolean allowed, long micros) {
        int bucket = 0;
        while (bucket < BOUNDS.length && micros > BOUNDS[bucket]) {
            bucket++;
        }
        long[] room = room(slot);
        increase(room, slot * FIELDS + histogram(allowed) + bucket, 1);
        increase(room, slot * FIELDS + sum(allowed), Math.max(0, micros));
    }

    /** Whether this decision is one of those that are timed. */
    boolean sample() {
        return (sinceSample++ & (SAMPLED - 1)) == 0;
    }

    /** Where this thread's checks go while {@code generation} is in force. */
    MajorityCounters votes(RuleMetrics.Generation generation) {
        MajorityCounters open = votes;
        if (open == null || open.generation() != generation) {
            open = generation.openVotes();
            votes = open;
        }
        return open;
    }

    long get(int slot, int field) {
        long[] read = counts;
        int index = slot * FIELDS + field;
        return index < read.length ? (long) LONGS.getOpaque(read, index) : 0;
    }

    long requests(int outcome) {
        return (long) LONGS.getOpaque(requests, outcome);
    }

    private long[] room(int slot) {
        long[] room = counts;
        int needed = (slot + 1) * FIELDS;
        if (room.length < needed) {
            room = Arrays.copyOf(room, Math.max(needed, room.length * 2));
            counts = room;
        }
        return room;
    }

    /** One writer, so no lock; opaque, so that a reader sees it soon and whole. */
    private static void increase(long[] array, int index, long by) {
        LONGS.setOpaque(array, index, array[index] + by);
    }
}
