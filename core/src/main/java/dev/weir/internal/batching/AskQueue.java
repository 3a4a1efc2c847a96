package dev.weir.internal.batching;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The asks that wait for the next batch, linked in the order of arrival. Used in one event loop. */
final class AskQueue {
    private @Nullable QueuedAsk first;
    private @Nullable QueuedAsk last;

    boolean isEmpty() {
        return first == null;
    }

    /** Appends {@code chain} and all asks that are linked to it. */
    void add(@Nullable QueuedAsk chain) {
        if (chain == null) {
            return;
        }
        if (last == null) {
            first = chain;
        } else {
            last.next = chain;
        }
        QueuedAsk end = chain;
        while (end.next != null) {
            end = end.next;
        }
        last = end;
    }

    void putBack(QueuedAsk pending) {
        pending.next = first;
        first = pending;
        last = last == null ? pending : last;
    }

    @Nullable
    QueuedAsk peek() {
        return first;
    }

    /** Removes the first ask. Its link stays: if the next one is answered after it, no link need be written. */
    @Nullable
    QueuedAsk poll() {
        QueuedAsk polled = first;
        if (polled != null) {
            first = polled.next;
            last = first == null ? null : last;
        }
        return polled;
    }

    void forEach(Consumer<QueuedAsk> action) {
        for (QueuedAsk each = first; each != null; each = each.next) {
            action.accept(each);
        }
    }

    /** Removes the asks whose deadline is not after {@code now}. */
    void expire(long now, Consumer<QueuedAsk> expired) {
        QueuedAsk each = first;
        first = null;
        last = null;
        while (each != null) {
            QueuedAsk next = each.next;
            each.next = null;
            if (each.deadlineNanos - now <= 0) {
                expired.accept(each);
            } else {
                add(each);
            }
            each = next;
        }
    }

    /** The earliest deadline, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (QueuedAsk each = first; each != null; each = each.next) {
            earliest = each.deadlineNanos - earliest < 0 ? each.deadlineNanos : earliest;
        }
        return earliest;
    }
}
