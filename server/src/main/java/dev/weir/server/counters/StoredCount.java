package dev.weir.server.counters;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reads the state of a shared counter from its store. A decision by a lease or a reported copy is made without it. */
final class StoredCount extends Ask {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final CompletableFuture<Check> answer = new CompletableFuture<>();

    private StoredCount(Check counter) {
        Check check = checks.add();
        check.set(counter);
        check.hits = 0;
        deadlineNanos = System.nanoTime() + TIMEOUT_NANOS;
    }

    /** Asks {@code store} with zero hits. The check is marked as failed if the store does not answer. */
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
