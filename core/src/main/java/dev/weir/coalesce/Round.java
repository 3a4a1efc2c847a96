package dev.weir.coalesce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is sent together, and awaited before the next goes: one call, or in a cluster one for each slot. It ends when every call was
 * answered, or when nobody waits for any of them any more.
 *
 * <h2>Haste</h2>
 *
 * A call charges nothing after the earliest deadline in it. So that a caller with hardly any time left does not spoil the call of
 * those who have plenty, only asks whose time is of the same order (within a factor of four) share one.
 */
final class Round {
    private static final int MAX_CALLS = 512;

    final long sentNanos;
    final List<Call> calls = new ArrayList<>(1);
    /** Calls that were not answered yet. */
    int outstanding;
    /** Calls that failed. */
    int failed;
    /** Nobody waits for it any more: whatever comes back is not looked at. */
    boolean abandoned;
    /** It was said to have failed when nobody waited for it any more: what comes of it is not said again. */
    boolean blamed;

    Round(long nowNanos) {
        this.sentNanos = nowNanos;
    }

    /** Takes up {@code pending}, in a call that {@code carrier} makes if it fits none; false if the round is full. */
    boolean take(Pending pending, Carrier carrier) {
        int haste = haste(pending.deadlineNanos - sentNanos);
        Call last = callFor(pending.slot, pending.asking, haste);
        if (last != null && !pending.alone && !last.pending(0).alone && last.add(pending.group)) {
            return true;
        }
        if (calls.size() == MAX_CALLS) {
            return false;
        }
        Call call = carrier.call(pending.slot, pending.asking);
        call.goesWith(this, haste);
        call.add(pending.group);
        calls.add(call);
        return true;
    }

    /** Half the bits of the time that is left. */
    private static int haste(long leftNanos) {
        return Long.numberOfLeadingZeros(leftNanos) >> 1;
    }

    /** The last call for this slot; null if there is none. */
    private @Nullable Call callFor(int slot, boolean asking, int haste) {
        for (int i = calls.size() - 1; i >= 0; i--) {
            Call call = calls.get(i);
            if (call.slot == slot && call.asking == asking && call.haste == haste) {
                return call;
            }
        }
        return null;
    }

    /** Whether at least half of it failed. */
    boolean hasFailed() {
        return 2 * failed >= calls.size();
    }

    /** The earliest deadline of those who wait, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (Call call : calls) {
            earliest = call.earliest(earliest);
        }
        return earliest;
    }

    /** Lets those leave whose deadline is not after {@code now}. Returns whether anybody still waits. */
    boolean expire(long now, Consumer<Pending> expired) {
        boolean waited = false;
        for (Call call : calls) {
            for (int i = 0, size = call.groups(); i < size; i++) {
                Pending each = call.pending(i);
                if (each.isWaited() && each.deadlineNanos - now <= 0) {
                    expired.accept(each.leave());
                }
                waited |= each.isWaited();
            }
        }
        return waited;
    }
}
