package dev.weir.internal.store.memory;

/** The sizes of blocks. They rise in steps of an eighth to a quarter, so at most a fifth of a block is unused. */
final class BlockSizes {
    static final int COUNT = 112;
    static final int OCTAVES = 29;

    private static final int SMALLEST = 8;

    private BlockSizes() {}

    /** The size of a block that holds {@code words} words. */
    static int fit(int words) {
        if (words <= SMALLEST) {
            return SMALLEST;
        }
        int step = step(words);
        return (words + step - 1) & -step;
    }

    /** The rank of {@code size} among all sizes, from 0. */
    static int rank(int size) {
        if (size <= SMALLEST) {
            return 0;
        }
        int power = 31 - Integer.numberOfLeadingZeros(size - 1);
        return (power - 3) * 4 + (size - (1 << power)) / step(size);
    }

    /** The octave of {@code size}: 0 for the smallest, 1 for those up to twice as large, and so on. */
    static int octave(int size) {
        return size <= SMALLEST ? 0 : 29 - Integer.numberOfLeadingZeros(size - 1);
    }

    /** A quarter of the power of two below. */
    private static int step(int words) {
        return Integer.highestOneBit(words - 1) >>> 2;
    }
}
