package dev.weir.internal.algorithm;

/**
 * Arithmetic on whole numbers below 2^53. Lua's numbers are exact in this range too, so the Redis scripts can repeat
 * the arithmetic to the last digit.
 */
final class ExactMath {
    /** The first number that is out of range. */
    static final long BOUND = 1L << 53;
    /** The latest moment that fits the 52 bits which states give to time: the year 2112. */
    static final long LAST_MOMENT = (1L << 52) - 1;
    /** The most hits that fit the 32 bits which packed states give to a count. */
    static final long MAX_COUNT = (1L << 32) - 1;

    private ExactMath() {}

    /** Clamps {@code now} to a moment that states can hold. */
    static long moment(long now) {
        return now < 0 ? 0 : Math.min(now, LAST_MOMENT);
    }

    /** The reciprocal that {@link #divide} needs for {@code divisor}. */
    static long reciprocal(long divisor) {
        return Long.divideUnsigned(-1L, divisor);
    }

    /**
     * Computes {@code dividend / divisor} for a dividend >= 0, without a division: with m = floor((2^64 - 1) /
     * divisor), floor(dividend * m / 2^64) is the quotient or one less.
     */
    static long divide(long dividend, long divisor, long reciprocal) {
        if (divisor == 1) {
            return dividend;
        }
        long quotient = Math.multiplyHigh(dividend, reciprocal);
        return dividend - quotient * divisor >= divisor ? quotient + 1 : quotient;
    }

    static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    /** {@code a * b + c} if that is below the bound, else the bound; for numbers >= 0. */
    static long multiplyAdd(long a, long b, long c) {
        long product = a * b;
        boolean exact = Math.multiplyHigh(a, b) == 0 && product >= 0 && product < BOUND && c < BOUND - product;
        return exact ? product + c : BOUND;
    }

    /** {@code used + hits} clamped to 0 up to (and without) the bound; {@code used} >= 0. */
    static long saturate(long used, long hits) {
        return hits >= BOUND - used ? BOUND - 1 : Math.max(0, used + hits);
    }
}
