package dev.weir.internal.algorithm;

/**
 * What the two words of a {@link SlotMeter} hold, written from whole numbers below 2^53 as a script counts with. What is out of
 * range, because something else wrote it, becomes the nearest number that is in.
 */
public final class SlotWords {
    private static final long MAX_PART = (1L << 36) - 1;

    private SlotWords() {}

    /** Moment of the last update, part of a hit, tag of the denominator that the part counts in. */
    public static long bucket0(long moment, long part, long tag) {
        return (Math.min(moment, ExactMath.LAST_MOMENT) << 12)
                | ((Math.min(part, MAX_PART) >>> 32) << 8)
                | (tag & 0xFF);
    }

    /** Whole hits, part of a hit. */
    public static long bucket1(long whole, long part) {
        return (whole << 32) | (Math.min(part, MAX_PART) & ExactMath.MAX_COUNT);
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

    /** Counts of the current window and the one before. */
    public static long slidingWindow1(long current, long previous) {
        return (current << 32) | (previous & ExactMath.MAX_COUNT);
    }
}
