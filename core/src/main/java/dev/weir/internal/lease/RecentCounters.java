package dev.weir.internal.lease;

import dev.weir.internal.runtime.StampTable;

/**
 * Counters that were asked of late, so that one that is asked again is known to be busy here. A fixed table, a word for each: 40
 * bits of its hash, and the tenth of a second. A counter that finds its place taken takes it, and is noticed the next time.
 */
final class RecentCounters {
    private static final int TIME_BITS = 24;
    private static final long TENTH = 100_000_000;
    private static final long RECENT = 10;

    private final StampTable table;

    RecentCounters(int places) {
        table = new StampTable(places, TIME_BITS);
    }

    /** Notes that it is asked at {@code now}; whether it was a second ago or less. */
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
