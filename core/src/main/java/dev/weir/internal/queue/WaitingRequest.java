package dev.weir.internal.queue;

import dev.weir.Request;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.match.CallerHash;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.store.Idempotency;
import org.jspecify.annotations.Nullable;

/** A request in a {@link CounterQueue}, with a copy of its attributes. The lock of {@link RequestQueues} guards it. */
final class WaitingRequest {
    final Request request = Request.to("");
    final Waiter waiter;
    final @Nullable Idempotency idempotency;
    /** The hash of who sends it. */
    final int caller;
    /** The last decision on it. */
    final MutableDecision decision = new MutableDecision();

    private long hits = 1;
    private long sinceNanos;
    private long untilNanos;
    private Runnable expiry = () -> {};
    private boolean ended;

    WaitingRequest(Request request, Waiter waiter, @Nullable Idempotency idempotency) {
        this.request.set(request);
        this.waiter = waiter;
        this.idempotency = idempotency;
        this.caller = CallerHash.seeded(request);
    }

    /** The most that it waits under {@code bounds}: no longer than its caller does. */
    long maxWaitMicros(QueueBounds bounds) {
        return Math.min(bounds.maxWaitMicros(), waiter.patienceMicros());
    }

    /** Starts to wait; {@code expiry} cancels the timer that ends it. */
    void begin(long hits, long sinceNanos, long untilNanos, Runnable expiry) {
        this.hits = Math.max(1, hits);
        this.sinceNanos = sinceNanos;
        this.untilNanos = untilNanos;
        this.expiry = expiry;
    }

    /** The hits that it takes from the counter whose turn it waits for. */
    long hits() {
        return hits;
    }

    /** How long it has waited at {@code nanos}. */
    long waitedMicros(long nanos) {
        return Math.max(0, (nanos - sinceNanos) / 1_000);
    }

    boolean isExpired(long nanos) {
        return untilNanos - nanos <= 0;
    }

    boolean isEnded() {
        return ended;
    }

    /** Ends the wait; false if it had ended. */
    boolean end() {
        boolean first = !ended;
        ended = true;
        expiry.run();
        return first;
    }
}
