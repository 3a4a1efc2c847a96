package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.runtime.StampTable;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.tier.LocalTier;
import java.nio.ByteBuffer;

/**
 * Remembers idempotency keys that a store, which denied them, did not know a moment ago. A cached denial covers such a
 * key if it predates the lookup, because nothing was admitted since. So clients that retry a denial at once reach no
 * store, with a key or without.
 *
 * <p>It is a fixed table with a word per key: 40 bits of its hash, and the millisecond. A key whose word is taken
 * overwrites it; the other key asks its store once more.
 */
final class UnknownIdempotencyKeys {
    private static final int ENTRIES = 1 << 14;
    private static final int TIME_BITS = 24;
    private static final long MILLI = 1_000;
    private static final long REVALIDATE_AFTER = LocalTier.BELIEVED_MICROS / MILLI;

    private final StampTable table = new StampTable(ENTRIES, TIME_BITS);

    /** Records that the store, asked at {@code asked} or later, did not know the key. */
    void add(Idempotency idempotency, long asked) {
        table.set(hash(idempotency), asked / MILLI);
    }

    /** Forgets the key, because a store knows it from now on. */
    void remove(Idempotency idempotency) {
        table.remove(hash(idempotency));
    }

    /** Whether a store asked a moment ago, and not before {@code since}, did not know the key. */
    boolean contains(Idempotency idempotency, long since, long now) {
        long hash = hash(idempotency);
        long word = table.word(hash);
        long age = table.since(word, now / MILLI);
        return table.isOf(word, hash) && age < REVALIDATE_AFTER && age <= now / MILLI - since / MILLI;
    }

    private static long hash(Idempotency idempotency) {
        long key = ByteBuffer.wrap(idempotency.key()).getLong();
        return key ^ ByteBuffer.wrap(idempotency.caller()).getLong();
    }
}
