package dev.weir.coalesce;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What waits for the next round, in the order of arrival. Used in one loop. */
final class WaitingLine {
    private final ArrayDeque<Pending> line = new ArrayDeque<>();

    boolean isEmpty() {
        return line.isEmpty();
    }

    /** Appends {@code first} and all that are linked to it. */
    void add(@Nullable Pending first) {
        Pending each = first;
        while (each != null) {
            Pending next = each.next;
            each.next = null;
            line.addLast(each);
            each = next;
        }
    }

    void putBack(Pending pending) {
        line.addFirst(pending);
    }

    @Nullable
    Pending peek() {
        return line.peekFirst();
    }

    @Nullable
    Pending poll() {
        return line.pollFirst();
    }

    void forEach(Consumer<Pending> action) {
        line.forEach(action);
    }

    /** Removes those whose deadline is not after {@code now}. */
    void expire(long now, Consumer<Pending> expired) {
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
        for (Pending each : line) {
            earliest = each.deadlineNanos - earliest < 0 ? each.deadlineNanos : earliest;
        }
        return earliest;
    }
}
