package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.runtime.StampTable;
import dev.weir.internal.store.Idempotency;
import java.nio.ByteBuffer;

/**
 * How often a caller who is known to be over a limit may still have an idempotency key looked up: {@value #MOST} times a second. Who
 * sends a fresh key with every request does not get past the deny cache by it.
 *
 * <p>A fixed table, a word for each caller: 24 bits of its hash, the second, and how often it was. Callers that meet in one place start
 * each other anew, which at worst looks up more.
 */
public final class IdempotencyLookupLimit {
    public static final int MOST = 16;

    private static final int PLACES = 1 << 12;
    private static final int COUNT_BITS = 8;
    private static final int SECOND_BITS = 32;
    private static final long COUNT = (1L << COUNT_BITS) - 1;
    private static final long SECOND = 1_000_000;

    /** A stamp is the second, and how often it was. */
    private final StampTable table = new StampTable(PLACES, SECOND_BITS + COUNT_BITS);

    /** Whether there may be one more, which is counted then. */
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
