package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.runtime.StampTable;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.tier.LocalTier;
import java.nio.ByteBuffer;

/**
 * Idempotency keys that a store did not know a moment ago, because it denied them: for as long as a denial is believed, one that
 * is remembered holds for them too, if it was given no later: since then nothing was admitted anywhere. So clients that retry a denial at once reach no store, with a key or without.
 *
 * <p>A fixed table, a word for each key: 40 bits of its hash, and the millisecond. A key that finds its place taken takes it;
 * the other one asks its store once more.
 */
final class UnknownIdempotencyKeys {
    private static final int PLACES = 1 << 14;
    private static final int TIME_BITS = 24;
    private static final long MILLI = 1_000;
    private static final long BELIEVED = LocalTier.BELIEVED_MICROS / MILLI;

    private final StampTable table = new StampTable(PLACES, TIME_BITS);

    /** The store did not know it when it was asked, which was not before {@code asked}. */
    void add(Idempotency idempotency, long asked) {
        table.set(hash(idempotency), asked / MILLI);
    }

    /** It is known from now on. */
    void remove(Idempotency idempotency) {
        table.remove(hash(idempotency));
    }

    /** Whether a store that was asked a moment ago, and not before {@code since}, did not know it. */
    boolean contains(Idempotency idempotency, long since, long now) {
        long hash = hash(idempotency);
        long word = table.word(hash);
        long age = table.since(word, now / MILLI);
        return table.isOf(word, hash) && age < BELIEVED && age <= now / MILLI - since / MILLI;
    }

    private static long hash(Idempotency idempotency) {
        long key = ByteBuffer.wrap(idempotency.key()).getLong();
        return key ^ ByteBuffer.wrap(idempotency.caller()).getLong();
    }
}
