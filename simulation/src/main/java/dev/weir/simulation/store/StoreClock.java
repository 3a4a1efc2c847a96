package dev.weir.simulation.store;

/**
 * What the store's clock shows, as a node tells it from the times in replies: the middle of the narrowest interval that it can lie in.
 * The same reckoning as the Redis store's.
 */
final class StoreClock {
    private static final long FORGET_NANOS = 30_000_000_000L;
    private static final long DRIFT_MICROS = 3_000;

    private boolean known;
    private long low;
    private long high;
    private long takenNanos;

    void sample(long sentNanos, long receivedNanos, long storeMicros) {
        long least = storeMicros - receivedNanos / 1_000 - 1;
        long most = storeMicros - sentNanos / 1_000;
        boolean wasSet = known && (most < low - DRIFT_MICROS || least > high + DRIFT_MICROS);
        if (!known || wasSet || most - least <= high - low || receivedNanos - takenNanos > FORGET_NANOS) {
            known = true;
            low = least;
            high = most;
            takenNanos = receivedNanos;
        }
    }

    long at(long nanos) {
        return nanos / 1_000 + low + (high - low) / 2;
    }

    void forget() {
        known = false;
    }
}
