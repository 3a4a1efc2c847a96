package dev.weir.internal.store.memory;

import java.util.concurrent.atomic.LongAdder;

/**
 * What happens when the arena is full: a few stripes give back their expired blocks; if that does not help, the emptiest of some
 * blocks among them that are large enough, and not much larger, is evicted; if there is none, the caller is refused. All of it is
 * counted, and none of it takes longer than a look through one stripe: each is swept once a second at most.
 */
final class BlockReclaim {
    private static final int VISITS = 4;

    private final Arena arena;
    private final Stripe[] stripes;
    private final LongAdder refusals = new LongAdder();
    /** Where the last search ended. Races are harmless: it only spreads the searches. */
    private int cursor;

    BlockReclaim(Arena arena, Stripe[] stripes) {
        this.arena = arena;
        this.stripes = stripes;
    }

    long refusals() {
        return refusals.sum();
    }

    /**
     * A block for {@code key0}, whose stripe {@code own} is locked by the caller; {@link Arena#NONE} if it is refused. Other
     * stripes are visited only if their lock is free, for the caller may hold locks that come after theirs.
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

    /** Returns how large a block is there for now. */
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
