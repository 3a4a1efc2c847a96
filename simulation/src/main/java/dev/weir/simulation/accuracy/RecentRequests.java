package dev.weir.simulation.accuracy;

import java.util.Arrays;

/** The requests of the last window, oldest first: a ring that doubles as it fills. */
final class RecentRequests {
    private long[] moments = new long[1024];
    private int[] callers = new int[1024];
    private int head;
    private int size;

    void add(long moment, int caller) {
        if (size == moments.length) {
            grow();
        }
        int at = (head + size++) & (moments.length - 1);
        moments[at] = moment;
        callers[at] = caller;
    }

    /** Whether the oldest request came at {@code moment} or before. */
    boolean isBefore(long moment) {
        return size > 0 && moments[head] <= moment;
    }

    /** Removes the oldest request, and returns its caller. */
    int poll() {
        int caller = callers[head];
        head = (head + 1) & (moments.length - 1);
        size--;
        return caller;
    }

    private void grow() {
        int old = moments.length;
        long[] wider = Arrays.copyOf(moments, 2 * old);
        int[] more = Arrays.copyOf(callers, 2 * old);
        System.arraycopy(moments, 0, wider, old, head);
        System.arraycopy(callers, 0, more, old, head);
        moments = wider;
        callers = more;
    }
}
