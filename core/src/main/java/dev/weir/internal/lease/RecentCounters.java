package dev.weir.internal.lease;

import dev.weir.internal.runtime.StampTable;

/**
 * Remembers the counters that were asked of late, so that one asked again is known to be busy. It is a fixed table with
 * a word per counter: 40 bits of its hash, and the time in tenths of a second. A counter whose word is taken overwrites
 * it, and is noticed the next time.
 */
final class RecentCounters {
    private static final int TIME_BITS = 24;
    private static final long TENTH = 100_000_000;
    private static final long RECENT = 10;

    private final StampTable table;

    RecentCounters(int places) {
        table = new StampTable(places, TIME_BITS);
    }

    /** Records an ask at {@code now}; returns whether the last one was a second ago or less. */
    boolean seen(long key0, long now) {
        long before = table.word(key0);
        long tenth = now / TENTH;
        boolean known = table.isOf(before, key0);
        if (!known || table.since(before, tenth) != 0) {
            table.set(key0, tenth); // mostly it is the same tenth, and the line stays shared between processors
        }
        return known && table.since(before, tenth) <= RECENT;
    }
}
