package dev.weir.internal.batching;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue from any thread to one loop, bounded in asks and in memory: a stack that the loop takes whole and reverses.
 */
final class SubmissionQueue {
    /** A charge has the number of asks in its upper bits, and their bytes in so many lower ones. */
    private static final int BYTE_BITS = 40;

    private static final long ONE_ASK = 1L << BYTE_BITS;
    private static final long BYTES = ONE_ASK - 1;

    private final AtomicReference<@Nullable QueuedAsk> top = new AtomicReference<>();
    /** The charge of the asks that were added and are not {@linkplain #done done}, wherever they are by now. */
    private final AtomicLong held = new AtomicLong();
    /** The bytes that this queue has reserved. */
    private final AtomicLong reserved = new AtomicLong();

    private final int most;
    private final AskMemory memory;

    SubmissionQueue(int most, AskMemory memory) {
        this.most = most;
        this.memory = memory;
    }

    /** Adds {@code pending}; returns false if too many wait. */
    boolean add(QueuedAsk pending) {
        long charge = ONE_ASK + AskMemory.of(pending.group);
        long all = held.addAndGet(charge);
        if (all >>> BYTE_BITS > most || !fit(all & BYTES)) {
            held.addAndGet(-charge);
            return false;
        }
        pending.charge = charge;
        QueuedAsk below;
        do {
            below = top.get();
            pending.next = below;
        } while (!top.compareAndSet(below, pending));
        return true;
    }

    /** Whether so many bytes are reserved, or can be. */
    private boolean fit(long bytes) {
        for (long before = reserved.get(); bytes > before; before = reserved.get()) {
            long needed = bytes - before;
            long more = Math.max(needed, memory.step());
            if (!memory.reserve(more)) {
                more = needed;
                if (!memory.reserve(more)) {
                    return false;
                }
            }
            if (!reserved.compareAndSet(before, before + more)) {
                memory.release(more); // another thread was faster
            }
        }
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

    /** Ends the charge of asks: the sum of their {@link QueuedAsk#charge}. */
    void done(long charge) {
        if (charge != 0) {
            release(held.addAndGet(-charge) & BYTES);
        }
    }

    /** Releases what is reserved beyond {@code bytes} and one step, if it is more than another step. */
    private void release(long bytes) {
        long before = reserved.get();
        long spare = before - bytes - memory.step();
        if (spare > memory.step() && reserved.compareAndSet(before, before - spare)) {
            memory.release(spare);
        }
    }

    int waiting() {
        return (int) (held.get() >>> BYTE_BITS);
    }
}
