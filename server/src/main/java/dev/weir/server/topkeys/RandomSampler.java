package dev.weir.server.topkeys;

/**
 * Chooses one in so many events of one thread, each by itself and at random, so that no order of events is favoured.
 * Costs a multiplication: a linear congruential generator, of which the upper bits decide (Knuth's MMIX).
 */
final class RandomSampler {
    private static final long MULTIPLIER = 6_364_136_223_846_793_005L;
    private static final long INCREMENT = 1_442_695_040_888_963_407L;

    private long random;

    RandomSampler(long seed) {
        random = seed;
    }

    /** Whether this event is chosen, as one in {@code oneIn} is; a power of two, which may differ each time. */
    boolean chooses(int oneIn) {
        random = random * MULTIPLIER + INCREMENT;
        return (random >>> 48 & oneIn - 1) == 0;
    }
}
