package dev.weir.redis;

import dev.weir.redis.script.Group;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is sent with one flush, and awaited before the next goes: one call, or in a cluster one for each slot. It ends when every
 * call was answered, or when nobody waits for any of them any more.
 */
final class Round {
    final long sentNanos = System.nanoTime();
    final List<Call> calls = new ArrayList<>(1);
    /** Calls that were not answered yet. */
    int outstanding;
    /** Calls that failed. */
    int failed;
    /** Nobody waits for it any more: whatever comes back is not looked at. */
    boolean abandoned;

    /** The last call for this slot; null if there is none. */
    @Nullable
    Call callFor(int slot, boolean asking) {
        for (int i = calls.size() - 1; i >= 0; i--) {
            Call call = calls.get(i);
            if (call.slot == slot && call.asking == asking) {
                return call;
            }
        }
        return null;
    }

    static Pending owner(Group group) {
        return (Pending) Objects.requireNonNull(group.owner);
    }

    /** The deadline of whoever in {@code call} has the least time. */
    static long earliest(Call call, long otherwise) {
        long earliest = otherwise;
        for (int i = 0; i < call.batch.groups(); i++) {
            Pending each = owner(call.batch.group(i));
            if (each.isWaited() && each.deadlineNanos - earliest < 0) {
                earliest = each.deadlineNanos;
            }
        }
        return earliest;
    }

    /** The earliest deadline of those who wait, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (Call call : calls) {
            earliest = earliest(call, earliest);
        }
        return earliest;
    }

    /** Lets those leave whose deadline is not after {@code now}. Returns whether anybody still waits. */
    boolean expire(long now, Consumer<Pending> expired) {
        boolean waited = false;
        for (Call call : calls) {
            for (int i = 0; i < call.batch.groups(); i++) {
                Pending each = owner(call.batch.group(i));
                if (each.isWaited() && each.deadlineNanos - now <= 0) {
                    expired.accept(each.leave());
                }
                waited |= each.isWaited();
            }
        }
        return waited;
    }
}
