package dev.weir.internal.algorithm;

/** What part of a whole is used, as 0 (nothing) to 255 (all), without a division each time. */
final class UsedShare {
    private final int shift;
    private final long factor;

    UsedShare(long whole) {
        // Twenty bits of the whole are plenty for eight of the share, and keep the product inside a long.
        this.shift = Math.max(0, 44 - Long.numberOfLeadingZeros(whole));
        long scaled = Math.max(1, whole >>> shift);
        this.factor = ((255L << 32) + scaled - 1) / scaled;
    }

    /** The share of {@code used}, which is at most the whole; only nothing is 0. */
    int of(long used) {
        return used <= 0 ? 0 : (int) Math.max(1, Math.min(255, ((used >>> shift) * factor) >>> 32));
    }
}
