package dev.weir.internal.algorithm;

/** Computes the used share of a whole, 0 (nothing) to 255 (all), without a division each time. */
final class UsedShare {
    private final int shift;
    private final long factor;

    UsedShare(long whole) {
        // Twenty bits of the whole are enough for eight bits of share, and keep the product inside a long.
        this.shift = Math.max(0, 44 - Long.numberOfLeadingZeros(whole));
        long scaled = Math.max(1, whole >>> shift);
        this.factor = ((255L << 32) + scaled - 1) / scaled;
    }

    /** The share of {@code used}, which is at most the whole; 0 only if nothing is used. */
    int of(long used) {
        return used <= 0 ? 0 : (int) Math.max(1, Math.min(255, ((used >>> shift) * factor) >>> 32));
    }
}
