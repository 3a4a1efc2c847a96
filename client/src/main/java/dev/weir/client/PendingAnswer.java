package dev.weir.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The answer of an asynchronous call. As with the futures of {@link java.net.http.HttpClient}, cancelling it, or a future
 * that is derived from it, ends the call: also while it waits for its turn.
 */
final class PendingAnswer<T> extends CompletableFuture<T> {
    private final Attempt attempt;

    /** The attempt that is in flight. */
    private static final class Attempt {
        private @Nullable Future<?> sent;
        private boolean cancelled;

        synchronized void set(Future<?> next) {
            sent = next;
            if (cancelled) {
                next.cancel(true);
            }
        }

        synchronized void cancel(boolean mayInterrupt) {
            cancelled = true;
            if (sent != null) {
                sent.cancel(mayInterrupt);
            }
        }

        synchronized boolean isCancelled() {
            return cancelled;
        }
    }

    PendingAnswer() {
        this(new Attempt());
    }

    private PendingAnswer(Attempt attempt) {
        this.attempt = attempt;
    }

    /** Cancels {@code sent} with this answer. */
    void waitsFor(Future<?> sent) {
        attempt.set(sent);
    }

    /** Whether nobody waits for the answer any more: it was cancelled, or completed by its caller. */
    boolean isGivenUp() {
        if (attempt.isCancelled()) {
            completeExceptionally(new CancellationException());
        }
        return isDone();
    }

    /** Completes it with the failure of an attempt. */
    void failWith(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
        completeExceptionally(cause == null ? failure : cause);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        boolean cancelled = super.cancel(mayInterrupt);
        if (cancelled) {
            attempt.cancel(mayInterrupt);
        }
        return cancelled;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new PendingAnswer<>(attempt);
    }
}
