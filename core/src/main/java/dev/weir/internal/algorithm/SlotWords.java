package dev.weir.internal.algorithm;

/**
 * Packs the two words of a {@link SlotMeter} from whole numbers below 2^53, as a script counts with. A number that is
 * out of range, because something else wrote it, is clamped.
 */
public final class SlotWords {
    private static final long MAX_FRACTION = (1L << 36) - 1;

    private SlotWords() {}

    /** Moment of the last update, fraction of a hit, tag of the denominator that the fraction counts in. */
    public static long bucket0(long moment, long fraction, long tag) {
        return (Math.min(moment, ExactMath.LAST_MOMENT) << 12)
                | ((Math.min(fraction, MAX_FRACTION) >>> 32) << 8)
                | (tag & 0xFF);
    }

    /** Whole hits, fraction of a hit. */
    public static long bucket1(long whole, long fraction) {
        return (whole << 32) | (Math.min(fraction, MAX_FRACTION) & ExactMath.MAX_COUNT);
    }

    /** Start of the window. */
    public static long fixedWindow0(long start) {
        return Math.min(start, ExactMath.BOUND - 1);
    }

    /** The count. */
    public static long fixedWindow1(long count) {
        return Math.min(count, ExactMath.BOUND - 1);
    }

    /** Start of the current window, tag of its length. */
    public static long slidingWindow0(long start, long tag) {
        return (Math.min(start, ExactMath.LAST_MOMENT) << 12) | (tag & 0xFFF);
    }

    /** Counts of the current window and of the one before. */
    public static long slidingWindow1(long current, long previous) {
        return (current << 32) | (previous & ExactMath.MAX_COUNT);
    }
}
