package dev.weir.internal.store.memory;

import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;

/**
 * Keeps counters in the memory of this process: millions of them, bounded, 32 bytes a slot.
 *
 * <h2>Concurrency</h2>
 *
 * <p>A key belongs to one stripe. A stripe has one lock, which is held for nanoseconds, or not at all if nothing
 * changes, as in a denial: see {@link VersionLock}. {@link MultiKeyDecision} makes a request with several checks
 * atomic.
 *
 * <h2>Bounds</h2>
 *
 * <p>{@code maxKeys} counters fit without eviction. Keys spread unevenly over the stripes, so each stripe has room for
 * a little more than its share (three standard deviations: a few percent). When a stripe is full, expired counters are
 * dropped, then the least used: see {@link SlotTable}. Logs and sub-windows have a bound of their own, {@code
 * maxBlockBytes}: see {@link BlockReclaim}. Tables grow as they fill and do not shrink: memory that a flood of keys
 * claimed stays claimed, within the bound.
 */
public final class MemoryStore implements LocalStore {
    public static final int DEFAULT_MAX_KEYS = 10_000_000;

    private static final int KEYS_PER_STRIPE = 2048;
    private static final int MAX_STRIPES = 1 << 16;

    private final Stripe[] stripes;
    private final int mask;
    private final Arena arena;
    private final BlockReclaim reclaim;
    private final MultiKeyDecision multiKey;

    public MemoryStore() {
        this(DEFAULT_MAX_KEYS);
    }

    /** Bounds the memory for blocks to that of {@code maxKeys} slots. */
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
        multiKey = new MultiKeyDecision(stripes);
    }

    @Override
    public boolean decide(Checks checks, long nowMicros) {
        if (checks.size() != 1) {
            return multiKey.decide(checks, nowMicros);
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

    /** Counters held, including those that have expired and were not accessed since. */
    public long size() {
        long sum = 0;
        for (Stripe stripe : stripes) {
            stripe.lock();
            sum += stripe.size();
            stripe.unlock();
        }
        return sum;
    }

    /** Counters evicted before they expired, since the start. */
    public long evictions() {
        long sum = 0;
        for (Stripe stripe : stripes) {
            stripe.lock();
            sum += stripe.evictions();
            stripe.unlock();
        }
        return sum;
    }

    /** Checks on logs and sub-windows that were denied for lack of memory, since the start. */
    public long refusals() {
        return reclaim.refusals();
    }

    /** Memory held for logs and sub-windows, bytes. */
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
