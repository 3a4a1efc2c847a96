package dev.weir.server.topkeys;

/**
 * The heaviest keys of a sliding window: of the period by the clock that has begun, and of the one before it. The part of
 * the earlier period that the window still covers counts by its share, as in a sliding window counter.
 */
final class SlidingCounts {
    private final long periodMillis;
    private final long seed;
    private HeavyKeeper now;
    private HeavyKeeper before;
    private long period;
    private long total;
    private long totalBefore;

    SlidingCounts(long periodMillis, long seed) {
        this.periodMillis = periodMillis;
        this.seed = seed;
        this.now = new HeavyKeeper(seed);
        this.before = new HeavyKeeper(seed);
    }

    /** Moves on to {@code millis}. */
    void advance(long millis) {
        long current = millis / periodMillis;
        if (current == period) {
            return;
        }
        boolean next = current == period + 1;
        before = next ? now : new HeavyKeeper(seed);
        totalBefore = next ? total : 0;
        now = new HeavyKeeper(seed);
        total = 0;
        period = current;
    }

    /** Adds to a key; returns whether it is now among the heaviest. */
    boolean add(long key, int weight) {
        total += weight;
        return now.add(key, weight);
    }

    boolean has(long key) {
        return now.count(key) > 0 || before.count(key) > 0;
    }

    /** Whether {@code key} is among the heaviest with more than {@code weight}, in this period and the one before. */
    boolean hasMoreThan(long key, int weight) {
        return (long) now.count(key) + before.count(key) > weight;
    }

    /** The count of {@code key} in the window that ends at {@code millis}. */
    double count(long key, long millis) {
        return now.count(key) + left(millis) * before.count(key);
    }

    /** The sum over all keys in that window. */
    double total(long millis) {
        return total + left(millis) * totalBefore;
    }

    private double left(long millis) {
        return 1 - (millis - period * periodMillis) / (double) periodMillis;
    }

    /** The heaviest keys of the period that has begun. */
    HeavyKeeper current() {
        return now;
    }

    /** The heaviest keys of the last whole period. */
    HeavyKeeper closed() {
        return before;
    }

    int bytes() {
        return 64 + now.bytes() + before.bytes();
    }
}
