package dev.weir.server.replay;

import java.util.Arrays;

/** Requests and denials over time, in at most 240 intervals, which grow with the traffic. */
public final class DenialSeries {
    static final int MOST = 240;

    private final long[] requests = new long[MOST];
    private final long[] before = new long[MOST];
    private final long[] now = new long[MOST];
    private long start = Long.MIN_VALUE;
    private long width = 1_000_000;
    private int size;

    void add(long micros, long weight, boolean deniedBefore, boolean deniedNow) {
        if (start == Long.MIN_VALUE) {
            start = Math.floorDiv(micros, width) * width;
        }
        while (micros - start >= width * MOST) {
            widen();
        }
        int at = (int) (Math.max(0, micros - start) / width); // a line may be a little early
        size = Math.max(size, at + 1);
        requests[at] += weight;
        before[at] += deniedBefore ? weight : 0;
        now[at] += deniedNow ? weight : 0;
    }

    private void widen() {
        width *= 2;
        for (long[] each : new long[][] {requests, before, now}) {
            for (int i = 0; i < MOST / 2; i++) {
                each[i] = each[2 * i] + each[2 * i + 1];
            }
            Arrays.fill(each, MOST / 2, MOST, 0);
        }
        size = (size + 1) / 2;
    }

    /** The number of intervals. */
    public int size() {
        return size;
    }

    /** The length of an interval, microseconds. */
    public long width() {
        return width;
    }

    /** When interval {@code index} begins, microseconds since the epoch. */
    public long at(int index) {
        return start + index * width;
    }

    public long requests(int index) {
        return requests[index];
    }

    /** The denials of an interval before: by the other rules, or as they were recorded. */
    public long before(int index) {
        return before[index];
    }

    /** The denials of an interval by the rules. */
    public long now(int index) {
        return now[index];
    }
}
