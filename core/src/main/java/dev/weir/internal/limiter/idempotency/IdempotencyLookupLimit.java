package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.store.Idempotency;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

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

    private final AtomicLongArray words = new AtomicLongArray(PLACES);

    /** Whether there may be one more, which is counted then. */
    boolean take(Idempotency idempotency, long now) {
        long hash = ByteBuffer.wrap(idempotency.caller()).getLong();
        int place = (int) hash & (PLACES - 1);
        long second = (now / SECOND) & ((1L << SECOND_BITS) - 1);
        long none = (hash >>> (COUNT_BITS + SECOND_BITS) << (COUNT_BITS + SECOND_BITS)) | (second << COUNT_BITS);
        while (true) {
            long word = words.get(place);
            long current = (word & ~COUNT) == none ? word : none;
            if ((current & COUNT) >= MOST) {
                return false;
            }
            if (words.compareAndSet(place, word, current + 1)) {
                return true;
            }
        }
    }
}
