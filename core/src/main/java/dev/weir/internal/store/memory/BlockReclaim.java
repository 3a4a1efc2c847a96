package dev.weir.internal.store.memory;

import java.util.concurrent.atomic.LongAdder;

/**
 * Finds memory when the arena is full. First a few stripes free their expired blocks. If that does not help, one block
 * among them is evicted: the least used of those that are large enough and not much larger. If there is none, the check
 * is refused. Evictions and refusals are counted. The work is at most a scan of a few stripes, because each stripe is
 * swept at most once a second.
 */
final class BlockReclaim {
    private static final int VISITS = 4;

    private final Arena arena;
    private final Stripe[] stripes;
    private final LongAdder refusals = new LongAdder();
    /** Where the last search ended. Races are harmless, because it only spreads the searches. */
    private int cursor;

    BlockReclaim(Arena arena, Stripe[] stripes) {
        this.arena = arena;
        this.stripes = stripes;
    }

    long refusals() {
        return refusals.sum();
    }

    /**
     * Allocates a block for {@code key0}, whose stripe {@code own} is locked by the caller; {@link Arena#NONE} if it is
     * refused. Other stripes are visited only if their lock is free, because the caller may hold locks that come later
     * in the lock order.
     */
    long allocate(Stripe own, int words, long key0, long nowSeconds) {
        int from = cursor;
        cursor = (from + VISITS) & (stripes.length - 1);
        own.sweep(nowSeconds);
        Stripe poorest = own;
        long least = own.emptiestBlock(words, key0);
        for (int i = 0; i < VISITS; i++) {
            Stripe other = stripes[(from + i) & (stripes.length - 1)];
            if (other.tryLock()) {
                try {
                    other.sweep(nowSeconds);
                    long worth = other.emptiestBlock(words, key0);
                    if (worth < least) {
                        least = worth;
                        poorest = other;
                    }
                } finally {
                    other.unlock();
                }
            }
        }
        long block = arena.allocate(words);
        if (block == Arena.NONE) {
            block = arena.allocate(evictFrom(poorest, own, words, key0));
        }
        if (block == Arena.NONE) {
            refusals.increment();
        }
        return block;
    }

    /** Evicts a block and returns its size; returns {@code words} if there was none to evict. */
    private static int evictFrom(Stripe poorest, Stripe own, int words, long key0) {
        if (poorest == own) {
            return own.evictEmptiestBlock(words, key0);
        }
        if (!poorest.tryLock()) {
            return words;
        }
        try {
            return poorest.evictEmptiestBlock(words, key0);
        } finally {
            poorest.unlock();
        }
    }
}
