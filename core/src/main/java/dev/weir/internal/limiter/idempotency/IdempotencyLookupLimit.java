package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.store.Idempotency;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Limits idempotency lookups of callers that are known to be over a limit to {@value #MOST} per caller and second. So a
 * caller that sends a fresh key with every request cannot bypass the deny cache.
 *
 * <p>It is a fixed table with a word per caller: 24 bits of its hash, the second, and the count. Callers that share a
 * word reset each other's count, which at worst allows more lookups.
 */
public final class IdempotencyLookupLimit {
    public static final int MOST = 16;

    private static final int ENTRIES = 1 << 12;
    private static final int COUNT_BITS = 8;
    private static final int SECOND_BITS = 32;
    private static final long COUNT = (1L << COUNT_BITS) - 1;
    private static final long SECOND = 1_000_000;

    private final AtomicLongArray words = new AtomicLongArray(ENTRIES);

    /** Counts a lookup if one more is allowed, and returns whether it is. */
    boolean take(Idempotency idempotency, long now) {
        long hash = ByteBuffer.wrap(idempotency.caller()).getLong();
        int index = (int) hash & (ENTRIES - 1);
        long second = (now / SECOND) & ((1L << SECOND_BITS) - 1);
        long none = (hash >>> (COUNT_BITS + SECOND_BITS) << (COUNT_BITS + SECOND_BITS)) | (second << COUNT_BITS);
        while (true) {
            long word = words.get(index);
            long current = (word & ~COUNT) == none ? word : none;
            if ((current & COUNT) >= MOST) {
                return false;
            }
            if (words.compareAndSet(index, word, current + 1)) {
                return true;
            }
        }
    }
}
