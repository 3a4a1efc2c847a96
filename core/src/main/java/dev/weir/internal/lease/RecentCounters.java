package dev.weir.internal.lease;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters that were asked of late, so that one that is asked again is known to be busy here. A fixed table, a word for each: 40
 * bits of its hash, and the tenth of a second. A counter that finds its place taken takes it, and is noticed the next time.
 */
final class RecentCounters {
    private static final int TIME_BITS = 24;
    private static final long TIME = (1L << TIME_BITS) - 1;
    private static final long TENTH = 100_000_000;
    private static final long RECENT = 10;

    private final AtomicLongArray words;

    RecentCounters(int places) {
        words = new AtomicLongArray(Integer.highestOneBit(Math.max(1, places)));
    }

    /** Notes that it is asked at {@code now}; whether it was a second ago or less. */
    boolean seen(long key0, long now) {
        int place = (int) key0 & words.length() - 1;
        long before = words.get(place);
        long word = (key0 & ~TIME) | (now / TENTH & TIME);
        if (word != before) {
            words.set(place, word);
        }
        return before != 0 && (before | TIME) == (key0 | TIME) && (word - before & TIME) <= RECENT;
    }
}
