package dev.weir.server.counters;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * How a shared counter stands as its store has it, which a decision need not know: one by a lease or a copy to report from is made
 * without it.
 */
final class StoredCount extends Ask {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final CompletableFuture<Check> answer = new CompletableFuture<>();

    private StoredCount(Check counter) {
        Check check = checks.add();
        check.set(counter);
        check.hits = 0;
        deadlineNanos = System.nanoTime() + PATIENCE_NANOS;
    }

    /** Takes nothing; a check that failed if {@code store} does not say. */
    static CompletableFuture<Check> of(Check counter, SharedStore store) {
        StoredCount asked = new StoredCount(counter);
        store.decide(asked);
        return asked.answer;
    }

    @Override
    public void answered() {
        answer.complete(checks.get(0));
    }
}
