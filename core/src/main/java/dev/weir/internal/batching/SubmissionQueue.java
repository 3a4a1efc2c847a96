package dev.weir.internal.batching;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Where any thread leaves what one loop takes up: a stack that is taken whole and turned over. Bounded. */
final class SubmissionQueue {
    private final AtomicReference<@Nullable QueuedAsk> top = new AtomicReference<>();
    /** Everything that was left here and is not {@linkplain #done done} with, wherever it is by now. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final int most;

    SubmissionQueue(int most) {
        this.most = most;
    }

    /** Leaves {@code pending} here; false if too many wait. */
    boolean add(QueuedAsk pending) {
        if (waiting.incrementAndGet() > most) {
            waiting.decrementAndGet();
            return false;
        }
        QueuedAsk below;
        do {
            below = top.get();
            pending.next = below;
        } while (!top.compareAndSet(below, pending));
        return true;
    }

    boolean isEmpty() {
        return top.get() == null;
    }

    /** All that is here, linked in the order of arrival. */
    @Nullable
    QueuedAsk takeAll() {
        QueuedAsk each = top.get() == null ? null : top.getAndSet(null);
        QueuedAsk first = null;
        while (each != null) {
            QueuedAsk below = each.next;
            each.next = first;
            first = each;
            each = below;
        }
        return first;
    }

    void done(int count) {
        if (count != 0) {
            waiting.addAndGet(-count);
        }
    }

    int waiting() {
        return waiting.get();
    }
}
