package dev.weir.internal.batching;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is sent together: one call, or in a cluster one for each slot. It ends when every call was
 * answered, or when nobody waits for any of them any more.
 *
 * <h2>Haste</h2>
 *
 * A call charges nothing after the earliest deadline in it. So that a caller with hardly any time left does not spoil the call of
 * those who have plenty, only asks whose time is of the same order (within a factor of four) share one.
 */
final class CallBatch {
    private static final int MAX_CALLS = 512;

    final long sentNanos;
    final List<BatchedCall> calls = new ArrayList<>(1);
    /** For how long this process had been kept from running by then. */
    long pausedNanos;
    /** Calls that were not answered yet. */
    int outstanding;
    /** Calls that failed. */
    int failed;
    /** Nobody waits for it any more: whatever comes back is not looked at. */
    boolean abandoned;
    /** What comes of it speaks for or against the store. */
    boolean isWitness;

    CallBatch(long nowNanos) {
        this.sentNanos = nowNanos;
    }

    /** Takes up {@code pending}, in a call that {@code carrier} makes if it fits none; false if the round is full. */
    boolean take(QueuedAsk pending, BatchTransport carrier) {
        int haste = haste(pending.deadlineNanos - sentNanos);
        BatchedCall last = callFor(pending.slot, pending.asking, haste);
        if (last != null && !pending.alone && !last.pending(0).alone && last.add(pending.group)) {
            return true;
        }
        if (calls.size() == MAX_CALLS) {
            return false;
        }
        BatchedCall call = carrier.call(pending.slot, pending.asking);
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
    private @Nullable BatchedCall callFor(int slot, boolean asking, int haste) {
        for (int i = calls.size() - 1; i >= 0; i--) {
            BatchedCall call = calls.get(i);
            if (call.slot == slot && call.asking == asking && call.haste == haste) {
                return call;
            }
        }
        return null;
    }

    /** How long the store has had for it by {@code now}, when this process had been kept from running for {@code paused} in all. */
    long tookNanos(long now, long paused) {
        return Math.max(0, now - sentNanos - (paused - pausedNanos));
    }

    /** Whether at least half of it failed. */
    boolean hasFailed() {
        return 2 * failed >= calls.size();
    }

    /** The earliest deadline of those who wait, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (BatchedCall call : calls) {
            earliest = call.isOver() ? earliest : call.earliest(earliest);
        }
        return earliest;
    }

    /** Lets those leave whose deadline is not after {@code now}. Returns whether anybody still waits. */
    boolean expire(long now, Consumer<QueuedAsk> expired) {
        boolean[] waited = {false};
        forEach(each -> {
            if (each.isWaited() && each.deadlineNanos - now <= 0) {
                expired.accept(each.leave());
            }
            waited[0] |= each.isWaited();
        });
        return waited[0];
    }

    /** All who are in a call of which nothing has come yet. */
    void forEach(Consumer<QueuedAsk> action) {
        for (BatchedCall call : calls) {
            for (int i = 0, size = call.isOver() ? 0 : call.groups(); i < size; i++) {
                action.accept(call.pending(i));
            }
        }
    }
}
