package dev.weir.store.memory;

import dev.weir.algorithm.SlotMeter;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import dev.weir.store.Store;
import java.util.Arrays;

/**
 * Counters in the memory of this process: millions of them, bounded, 32 bytes a slot.
 *
 * <h2>Concurrency</h2>
 *
 * A key belongs to one stripe, and a stripe has one lock that is held for nanoseconds. A request with several checks locks the
 * stripes it needs in ascending order, each once, before it looks at any, so requests are atomic and cannot deadlock.
 *
 * <h2>Bounds</h2>
 *
 * {@code maxKeys} counters fit without eviction. As keys spread unevenly over the stripes, each has room for a little more than
 * its share (three standard deviations: a few percent). Beyond that the expired go, then the emptiest: see {@link SlotTable}.
 * Logs and sub-windows have {@code maxBlockBytes} of their own: see {@link BlockReclaim}.
 */
public final class MemoryStore implements Store {
    public static final int DEFAULT_MAX_KEYS = 10_000_000;

    private static final int KEYS_PER_STRIPE = 2048;
    private static final int MAX_STRIPES = 1 << 16;

    private final Stripe[] stripes;
    private final int mask;
    private final Arena arena;
    private final BlockReclaim reclaim;

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
        int share = (maxKeys + count - 1) / count;
        int room = count == 1 ? share : share + (int) (3 * Math.sqrt(share));
        stripes = new Stripe[count];
        mask = count - 1;
        arena = new Arena(maxBlockBytes / Long.BYTES);
        reclaim = new BlockReclaim(arena, stripes);
        for (int i = 0; i < count; i++) {
            stripes[i] = new Stripe(room, arena, reclaim);
        }
    }

    @Override
    public boolean decide(Checks checks, long nowMicros) {
        if (checks.size() != 1) {
            return decideTogether(checks, nowMicros);
        }
        Check check = checks.get(0);
        Stripe stripe = stripe(check);
        stripe.lock();
        try {
            stripe.decide(check, nowMicros);
        } finally {
            stripe.unlock();
        }
        return check.outcome.allowed || checks.allowed();
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

    private boolean decideTogether(Checks checks, long now) {
        int size = checks.size();
        long[] order = checks.scratch(size);
        for (int i = 0; i < size; i++) {
            order[i] = (long) ((int) checks.get(i).key1 & mask) << 32 | i;
        }
        sort(order, size);
        lock(order, size);
        try {
            for (int i = 0; i < size; i++) {
                ask(checks, order, i, now);
            }
            boolean allowed = checks.allowed();
            for (int i = 0; i < size; i++) {
                settle(stripes[stripeOf(order[i])], checks.get(checkOf(order[i])), allowed, now);
            }
            return allowed;
        } finally {
            unlock(order, size);
        }
    }

    private void ask(Checks checks, long[] order, int index, long now) {
        int stripe = stripeOf(order[index]);
        Check check = checks.get(checkOf(order[index]));
        Check earlier = null;
        long pending = 0;
        for (int i = index - 1; i >= 0 && stripeOf(order[i]) == stripe; i--) {
            Check other = checks.get(checkOf(order[i]));
            if (other.key0 == check.key0 && other.key1 == check.key1 && takenIfAllowed(other)) {
                earlier = earlier == null ? other : earlier;
                pending = Math.max(pending, pending + Math.max(0, other.hits));
            }
        }
        stripes[stripe].ask(check, earlier, pending, now);
    }

    private static void settle(Stripe stripe, Check check, boolean allowed, long now) {
        if (!allowed) {
            stripe.denied(check, check.countsDenied && takenIfAllowed(check), now);
        } else if (takenIfAllowed(check)) {
            stripe.take(check, now);
        }
    }

    /** Blocks have no way to count what does not fit. */
    private static boolean takenIfAllowed(Check check) {
        return check.outcome.allowed || (check.countsDenied && check.meter instanceof SlotMeter);
    }

    private void lock(long[] order, int size) {
        int last = -1;
        for (int i = 0; i < size; i++) {
            int stripe = stripeOf(order[i]);
            if (stripe != last) {
                stripes[stripe].lock();
                last = stripe;
            }
        }
    }

    private void unlock(long[] order, int size) {
        int last = -1;
        for (int i = 0; i < size; i++) {
            int stripe = stripeOf(order[i]);
            if (stripe != last) {
                stripes[stripe].unlock();
                last = stripe;
            }
        }
    }

    private static void sort(long[] order, int size) {
        if (size > 16) {
            Arrays.sort(order, 0, size);
            return;
        }
        for (int i = 1; i < size; i++) {
            long moved = order[i];
            int at = i;
            for (; at > 0 && order[at - 1] > moved; at--) {
                order[at] = order[at - 1];
            }
            order[at] = moved;
        }
    }

    private Stripe stripe(Check check) {
        return stripes[(int) check.key1 & mask];
    }

    private static int stripeOf(long ordered) {
        return (int) (ordered >>> 32);
    }

    private static int checkOf(long ordered) {
        return (int) ordered;
    }
}
