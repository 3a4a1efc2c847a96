package dev.weir.internal.lease;

/** Fractions of whole numbers. */
final class Fractions {
    private Fractions() {}

    /** {@code whole * over / under} for numbers of 0 and more, rounded down; where the product does not fit, a little less. */
    static long of(long whole, long over, long under) {
        long product = whole * over;
        return Math.multiplyHigh(whole, over) == 0 && product >= 0 ? product / under : saturated(whole / under, over);
    }

    private static long saturated(long whole, long times) {
        long product = whole * times;
        return Math.multiplyHigh(whole, times) == 0 && product >= 0 ? product : Long.MAX_VALUE;
    }
}
