package dev.weir.internal.lease;

/**
 * The rate at which this process spends hits of one counter, over about the last second: hits over nanoseconds, both
 * halved when they get old. It is updated now and then, not at every hit.
 */
public final class SpendRate {
    private static final long HORIZON = 1_000_000_000;

    private long hits;
    private long nanos;
    private long at;
    private boolean started;

    /** Adds {@code spent} hits that were spent by {@code now}. */
    public void add(long spent, long now) {
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
                nanos = HORIZON; // idle for so long that the rest means nothing
            }
        }
    }

    /** The hits spent in {@code interval}; if less than {@code least} was observed, no more than were seen. */
    public long in(long interval, long least) {
        return Fractions.of(hits, interval, Math.max(nanos, least));
    }

    /** How long {@code size} hits last. */
    long timeFor(long size, long least) {
        return Fractions.of(size, Math.max(nanos, least), Math.max(1, hits));
    }
}
