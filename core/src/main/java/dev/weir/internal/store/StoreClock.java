package dev.weir.internal.store;

/**
 * Estimates a shared store's clock from the times in its replies. Each connection has its own, used in its event loop
 * only, because another connection may lead to another server with another clock.
 *
 * <h2>Offset</h2>
 *
 * <p>The store read its clock at some moment between sending and receiving, so a reply with time {@code t} bounds the
 * offset to {@code [t - received, t - sent]}. The estimate is the middle of the narrowest interval; its error is at
 * most half a round trip. Clocks drift, so an interval is forgotten after a while. Clocks are also set, so an interval
 * that excludes the known one replaces it.
 */
public final class StoreClock {
    private static final long FORGET_NANOS = 30_000_000_000L;
    /** The drift of two clocks that differ by 100 millionths, over the time that an interval is kept. */
    private static final long DRIFT_MICROS = 3_000;

    private boolean known;
    private long low;
    private long high;
    private long takenNanos;

    /** Records that the store's clock showed {@code storeMicros} at some moment between the two. */
    public void sample(long sentNanos, long receivedNanos, long storeMicros) {
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

    public boolean known() {
        return known;
    }

    /** The store's time when {@link System#nanoTime} is {@code nanos}. */
    public long at(long nanos) {
        return nanos / 1_000 + low + (high - low) / 2;
    }

    public void forget() {
        known = false;
    }
}
