package dev.weir.internal.batching;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A bounded queue from any thread to one loop: a stack that the loop takes whole and reverses. */
final class SubmissionQueue {
    private final AtomicReference<@Nullable QueuedAsk> top = new AtomicReference<>();
    /** The number of asks that were added and are not {@linkplain #done done}, wherever they are by now. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final int most;

    SubmissionQueue(int most) {
        this.most = most;
    }

    /** Adds {@code pending}; returns false if too many wait. */
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

    /** Takes all asks, linked in the order of arrival. */
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
