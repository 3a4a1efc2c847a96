package dev.weir.internal.lease;

/**
 * How fast this process spends hits of one counter, as of the last second or so: hits over nanoseconds, of which both are halved
 * when they get old. Told now and then, not at every hit.
 */
final class SpendRate {
    private static final long HORIZON = 1_000_000_000;

    private long hits;
    private long nanos;
    private long at;
    private boolean started;

    /** {@code spent} more were spent by {@code now}. */
    void add(long spent, long now) {
        hits += Math.max(0, spent);
        if (started) {
            nanos += Math.max(0, now - at);
        }
        started = true;
        at = now;
        while (nanos > HORIZON) {
            hits = (hits + 1) / 2;
            nanos /= 2;
            if (hits <= 1 && nanos > HORIZON) {
                nanos = HORIZON; // idle for so long that the rest says nothing
            }
        }
    }

    /** How many are spent in {@code interval}; never more than were seen, if that is less than an interval's worth of watching. */
    long in(long interval, long least) {
        return Fractions.of(hits, interval, Math.max(nanos, least));
    }

    /** How long {@code size} hits last. */
    long timeFor(long size, long least) {
        return Fractions.of(size, Math.max(nanos, least), Math.max(1, hits));
    }
}
