package dev.weir.internal.store.memory;

import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;

/**
 * Counters in the memory of this process: millions of them, bounded, 32 bytes a slot.
 *
 * <h2>Concurrency</h2>
 *
 * A key belongs to one stripe, and a stripe has one lock that is held for nanoseconds, or not at all where nothing changes, as
 * for a denial: see {@link VersionLock}. How a request with several checks is one step for all others, see {@link MultiKeyDecision}.
 *
 * <h2>Bounds</h2>
 *
 * {@code maxKeys} counters fit without eviction. As keys spread unevenly over the stripes, each has room for a little more than
 * its share (three standard deviations: a few percent). Beyond that the expired go, then the emptiest: see {@link SlotTable}.
 * Logs and sub-windows have {@code maxBlockBytes} of their own: see {@link BlockReclaim}. Tables grow as they fill and do not
 * shrink: what a flood made of them stays, within the bound, ready for the next one.
 */
public final class MemoryStore implements LocalStore {
    public static final int DEFAULT_MAX_KEYS = 10_000_000;

    private static final int KEYS_PER_STRIPE = 2048;
    private static final int MAX_STRIPES = 1 << 16;

    private final Stripe[] stripes;
    private final int mask;
    private final Arena arena;
    private final BlockReclaim reclaim;
    private final MultiKeyDecision together;

    public MemoryStore() {
        this(DEFAULT_MAX_KEYS);
    }

    /** With as much memory for blocks as {@code maxKeys} slots have. */
    public MemoryStore(int maxKeys) {
        this(maxKeys, Math.max(1 << 20, maxKeys * 32L));
    }

    public MemoryStore(int maxKeys, long maxBlockBytes) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
        }
        if (maxBlockBytes < 0) {
            throw new IllegalArgumentException("maxBlockBytes: " + maxBlockBytes + " (expected: >= 0)");
        }
        int count = Math.min(MAX_STRIPES, Integer.highestOneBit(Math.max(1, maxKeys / KEYS_PER_STRIPE)));
        int share = (int) (((long) maxKeys + count - 1) / count);
        int room = count == 1 ? share : share + (int) (3 * Math.sqrt(share));
        stripes = new Stripe[count];
        mask = count - 1;
        arena = new Arena(maxBlockBytes / Long.BYTES);
        reclaim = new BlockReclaim(arena, stripes);
        for (int i = 0; i < count; i++) {
            stripes[i] = new Stripe(room, arena, reclaim);
        }
        together = new MultiKeyDecision(stripes);
    }

    @Override
    public boolean decide(Checks checks, long nowMicros) {
        if (checks.size() != 1) {
            return together.decide(checks, nowMicros);
        }
        Check check = checks.get(0);
        stripe(check).decide(check, nowMicros);
        return check.outcome.allowed || checks.allowed();
    }

    @Override
    public boolean forget(Check check) {
        Stripe stripe = stripe(check);
        stripe.lock();
        try {
            return stripe.forget(check);
        } finally {
            stripe.unlock();
        }
    }

    /** Counters held, those included that have expired and were not met since. */
    public long size() {
        long sum = 0;
        for (Stripe stripe : stripes) {
            stripe.lock();
            sum += stripe.size();
            stripe.unlock();
        }
        return sum;
    }

    /** Counters that were forgotten before they expired, since the start. */
    public long evictions() {
        long sum = 0;
        for (Stripe stripe : stripes) {
            stripe.lock();
            sum += stripe.evictions();
            stripe.unlock();
        }
        return sum;
    }

    /** Checks on logs and sub-windows that were denied because there was no memory to count them in, since the start. */
    public long refusals() {
        return reclaim.refusals();
    }

    /** Memory held for logs and sub-windows. */
    public long blockBytes() {
        return arena.words() * Long.BYTES;
    }

    /** Forgets all counters. */
    @Override
    public void close() {
        for (Stripe stripe : stripes) {
            stripe.lock();
            try {
                stripe.clear();
            } finally {
                stripe.unlock();
            }
        }
    }

    private Stripe stripe(Check check) {
        return stripes[(int) check.key1 & mask];
    }
}
