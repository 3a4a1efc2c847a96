package dev.weir.internal.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** How many asks are with stores that have not answered yet, and who waits until there are none. */
public final class InFlightAsks {
    private long open;
    private @Nullable CompletableFuture<Void> none;

    /** One more is on its way. */
    public synchronized void sent() {
        open++;
    }

    /** One was answered, and all that follows from it was sent. */
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

    /** Runs {@code sending}; done when that, and all that was sent before or meanwhile, has been answered. */
    public CompletionStage<Void> noneAfter(Runnable sending) {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            open++; // so that there are none only after all were sent
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

    /** Whether somebody waits until there are none. */
    public synchronized boolean areAwaited() {
        return none != null;
    }
}
