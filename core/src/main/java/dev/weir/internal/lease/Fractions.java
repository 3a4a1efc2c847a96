package dev.weir.internal.lease;

/** Computes fractions of whole numbers. */
final class Fractions {
    private Fractions() {}

    /** {@code whole * over / under} for numbers >= 0, rounded down; a little less if the product overflows. */
    static long of(long whole, long over, long under) {
        long product = whole * over;
        return Math.multiplyHigh(whole, over) == 0 && product >= 0 ? product / under : saturated(whole / under, over);
    }

    private static long saturated(long whole, long times) {
        long product = whole * times;
        return Math.multiplyHigh(whole, times) == 0 && product >= 0 ? product : Long.MAX_VALUE;
    }
}
