package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.store.Idempotency;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the idempotency keys that this process has shared stores keep: a bucket that refills in the time a key is
 * kept. The keys of one caller replace each other, but callers name themselves, so a per-caller bound can be evaded: a
 * flood of made-up callers would fill a store with keys long after its counters are gone. If the bucket is empty, a
 * request is decided and charged as usual, and recognised if its key was kept before; its own key is not kept.
 */
final class IdempotencyKeyBudget {
    /** The number of checks that take as much room as a key alone. */
    private static final int CHECKS_OF_A_KEY = 8;

    private final int most;
    /** When the bucket is full again. */
    private final AtomicLong full = new AtomicLong(Long.MIN_VALUE);

    IdempotencyKeyBudget(int most) {
        this.most = most;
    }

    /** Takes the amount for a key with {@code checks} at {@code now}, and returns it; 0 if the budget is used up. */
    long take(Idempotency idempotency, int checks, long now) {
        long keep = idempotency.keepMicros();
        long needed = Math.max(1, keep / most) * (1 + checks / CHECKS_OF_A_KEY);
        while (true) {
            long before = full.get();
            long after = Math.max(before, now) + needed;
            if (after - now > keep) {
                return 0;
            }
            if (full.compareAndSet(before, after)) {
                return needed;
            }
        }
    }

    /** Returns the amount of a key that was not kept. */
    void giveBack(long taken) {
        full.addAndGet(-taken);
    }
}
