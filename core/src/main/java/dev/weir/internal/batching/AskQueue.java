package dev.weir.internal.batching;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The asks that wait for the next batch, in the order of arrival. Used in one event loop. */
final class AskQueue {
    private final ArrayDeque<QueuedAsk> line = new ArrayDeque<>();

    boolean isEmpty() {
        return line.isEmpty();
    }

    /** Appends {@code first} and all asks that are linked to it. */
    void add(@Nullable QueuedAsk first) {
        QueuedAsk each = first;
        while (each != null) {
            QueuedAsk next = each.next;
            each.next = null;
            line.addLast(each);
            each = next;
        }
    }

    void putBack(QueuedAsk pending) {
        line.addFirst(pending);
    }

    @Nullable
    QueuedAsk peek() {
        return line.peekFirst();
    }

    @Nullable
    QueuedAsk poll() {
        return line.pollFirst();
    }

    void forEach(Consumer<QueuedAsk> action) {
        line.forEach(action);
    }

    /** Removes the asks whose deadline is not after {@code now}. */
    void expire(long now, Consumer<QueuedAsk> expired) {
        line.removeIf(each -> {
            boolean gone = each.deadlineNanos - now <= 0;
            if (gone) {
                expired.accept(each);
            }
            return gone;
        });
    }

    /** The earliest deadline, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (QueuedAsk each : line) {
            earliest = each.deadlineNanos - earliest < 0 ? each.deadlineNanos : earliest;
        }
        return earliest;
    }
}
