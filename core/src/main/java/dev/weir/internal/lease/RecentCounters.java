package dev.weir.internal.lease;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Remembers the counters that were asked of late, so that one asked again is known to be busy. It is a fixed table with
 * a word per counter: 40 bits of its hash, and the time in tenths of a second. A counter whose word is taken overwrites
 * it, and is noticed the next time.
 */
final class RecentCounters {
    private static final int TIME_BITS = 24;
    private static final long TIME = (1L << TIME_BITS) - 1;
    private static final long TENTH = 100_000_000;
    private static final long RECENT = 10;

    private final AtomicLongArray words;

    RecentCounters(int entries) {
        words = new AtomicLongArray(Integer.highestOneBit(Math.max(1, entries)));
    }

    /** Records an ask at {@code now}; returns whether the last one was a second ago or less. */
    boolean seen(long key0, long now) {
        int index = (int) key0 & words.length() - 1;
        long before = words.get(index);
        long word = (key0 & ~TIME) | (now / TENTH & TIME);
        if (word != before) {
            words.set(index, word);
        }
        return before != 0 && (before | TIME) == (key0 | TIME) && (word - before & TIME) <= RECENT;
    }
}
