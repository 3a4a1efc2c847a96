package dev.weir.internal.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Counts the asks that stores have not answered yet, and completes a future when there are none. */
public final class InFlightAsks {
    private long open;
    private @Nullable CompletableFuture<Void> none;

    /** Counts an ask that is sent. */
    public synchronized void sent() {
        open++;
    }

    /** Counts an ask as answered; everything that follows from it must have been sent before. */
    public void answered() {
        CompletableFuture<Void> awaited = null;
        synchronized (this) {
            if (--open == 0) {
                awaited = none;
                none = null;
            }
        }
        if (awaited != null) {
            awaited.complete(null);
        }
    }

    /**
     * Runs {@code sending}; the result completes when its asks, and all others sent before or meanwhile, are answered.
     */
    public CompletionStage<Void> noneAfter(Runnable sending) {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            open++; // so that the count cannot reach zero while asks are still being sent
            awaited = none == null ? new CompletableFuture<>() : none;
            none = awaited;
        }
        try {
            sending.run();
        } finally {
            answered();
        }
        return awaited;
    }

    /** Whether a caller waits until no ask is in flight. */
    public synchronized boolean areAwaited() {
        return none != null;
    }
}
