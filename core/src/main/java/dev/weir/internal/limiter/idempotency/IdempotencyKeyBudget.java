package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.store.Idempotency;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many idempotency keys this process has shared stores keep: a bucket of so many, which fills again in the time that a key is kept.
 * The keys of one caller push out each other, but who a caller is says the request: without this, a flood of made-up callers would fill
 * a store with keys long after its counters have gone. Who finds it empty is decided and charged as ever, and recognised if its key was
 * kept before; its own is not.
 */
final class IdempotencyKeyBudget {
    /** So many checks take as much room as a key by itself. */
    private static final int CHECKS_OF_A_KEY = 8;

    private final int most;
    /** When the bucket is full again. */
    private final AtomicLong full = new AtomicLong(Long.MIN_VALUE);

    IdempotencyKeyBudget(int most) {
        this.most = most;
    }

    /** Takes what a key with so many {@code checks} needs at {@code now}, and returns that; 0 if there is no room. */
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

    /** The key was not kept after all. */
    void giveBack(long taken) {
        full.addAndGet(-taken);
    }
}
