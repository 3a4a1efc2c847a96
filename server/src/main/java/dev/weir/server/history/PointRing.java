package dev.weir.server.history;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The last points of one series, in chunks that exist only where there was traffic. A point is {@link
 * HistoryColumn#COUNT} numbers, and belongs to a step: the number of the interval since the epoch. Not thread-safe.
 */
final class PointRing {
    private static final int CHUNK = 60;
    private static final int NUMBERS = CHUNK * HistoryColumn.COUNT;
    /** The memory of a chunk. */
    static final int CHUNK_BYTES = NUMBERS * Integer.BYTES + 32;

    private final int[] @Nullable [] chunks;
    /** The number, since the epoch, of the chunk at each place. */
    private final long[] numbers;

    private long last = Long.MIN_VALUE;
    private int used;

    /** Creates a ring for at least {@code points} points. */
    PointRing(int points) {
        int count = points / CHUNK + 2;
        chunks = new int[count][];
        numbers = new long[count];
    }

    /** Sets a point, whose step is not before the last one's. */
    void set(long step, int[] point) {
        long number = Math.floorDiv(step, CHUNK);
        int place = (int) Math.floorMod(number, (long) chunks.length);
        int[] chunk = chunks[place];
        if (chunk == null || numbers[place] != number) {
            if (chunk == null) {
                chunk = new int[NUMBERS];
                chunks[place] = chunk;
                used++;
            }
            clear(chunk);
            numbers[place] = number;
        }
        System.arraycopy(
                point, 0, chunk, (int) Math.floorMod(step, (long) CHUNK) * HistoryColumn.COUNT, HistoryColumn.COUNT);
        last = Math.max(last, step);
    }

    private static void clear(int[] chunk) {
        Arrays.fill(chunk, 0);
        for (int i = 0; i < chunk.length; i += HistoryColumn.COUNT) {
            Arrays.fill(chunk, i + HistoryColumn.COUNTED, i + HistoryColumn.COUNT, -1);
        }
    }

    /** The point of {@code step}; one without traffic if there is none. */
    int[] get(long step) {
        long number = Math.floorDiv(step, CHUNK);
        int place = (int) Math.floorMod(number, (long) chunks.length);
        int[] chunk = chunks[place];
        int[] point = new int[HistoryColumn.COUNT];
        if (chunk == null || numbers[place] != number) {
            Arrays.fill(point, HistoryColumn.COUNTED, point.length, -1);
        } else {
            int at = (int) Math.floorMod(step, (long) CHUNK) * HistoryColumn.COUNT;
            System.arraycopy(chunk, at, point, 0, point.length);
        }
        return point;
    }

    /** Adds the counts of {@code step} to {@code sums}; nothing if there is no point. */
    void addTo(long[] sums, long step) {
        long number = Math.floorDiv(step, CHUNK);
        int place = (int) Math.floorMod(number, (long) chunks.length);
        int[] chunk = chunks[place];
        if (chunk != null && numbers[place] == number) {
            int at = (int) Math.floorMod(step, (long) CHUNK) * HistoryColumn.COUNT;
            for (int i = 0; i < sums.length; i++) {
                sums[i] += chunk[at + i];
            }
        }
    }

    /** The step of the last point that was set. */
    long last() {
        return last;
    }

    /** Releases chunks that are wholly before {@code step}. */
    void forgetBefore(long step) {
        long oldest = Math.floorDiv(step, CHUNK);
        for (int i = 0; i < chunks.length; i++) {
            if (chunks[i] != null && numbers[i] < oldest) {
                chunks[i] = null;
                used--;
            }
        }
    }

    int bytes() {
        return 96 + chunks.length * (Long.BYTES + Integer.BYTES) + used * CHUNK_BYTES;
    }
}
