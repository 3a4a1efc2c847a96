package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.runtime.StampTable;
import dev.weir.internal.store.Idempotency;
import java.nio.ByteBuffer;

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

    /** A stamp is the second, and how often it was. */
    private final StampTable table = new StampTable(ENTRIES, SECOND_BITS + COUNT_BITS);

    /** Counts a lookup if one more is allowed, and returns whether it is. */
    boolean take(Idempotency idempotency, long now) {
        long hash = ByteBuffer.wrap(idempotency.caller()).getLong();
        long none = ((now / SECOND) & ((1L << SECOND_BITS) - 1)) << COUNT_BITS;
        while (true) {
            long word = table.word(hash);
            long stamp = table.stamp(word);
            long current = table.isOf(word, hash) && (stamp & ~COUNT) == none ? stamp : none;
            if ((current & COUNT) >= MOST) {
                return false;
            }
            if (table.compareAndSet(hash, word, current + 1)) {
                return true;
            }
        }
    }
}
