package dev.weir.internal.batching;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A batch of calls that are sent together: one call, or in a cluster one for each hash slot. It ends when every call
 * was answered, or when no caller waits for any of them any more.
 *
 * <h2>Haste</h2>
 *
 * <p>A call charges nothing after the earliest deadline in it. A caller with hardly any time left must not spoil the
 * call of callers with plenty, so only asks whose remaining time is of the same order (within a factor of four) share a
 * call.
 */
final class CallBatch {
    private static final int MAX_CALLS = 512;

    final long sentNanos;
    final List<BatchedCall> calls = new ArrayList<>(1);
    /** How long this process had been stalled in total when the batch was sent. */
    long pausedNanos;
    /** The number of calls without an answer. */
    int outstanding;
    /** The number of calls that failed. */
    int failed;
    /** Whether no caller waits for it any more; its replies are ignored. */
    boolean abandoned;
    /** Whether the result of this batch is reported to the circuit breaker. */
    boolean isWitness;

    CallBatch(long nowNanos) {
        this.sentNanos = nowNanos;
    }

    /**
     * Adds {@code pending} to a call; {@code carrier} creates a new call if it fits none. Returns false if the batch is
     * full.
     */
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

    /** The class of the remaining time: half the bits of its magnitude. */
    private static int haste(long leftNanos) {
        return Long.numberOfLeadingZeros(leftNanos) >> 1;
    }

    /** The last call for this hash slot; null if there is none. */
    private @Nullable BatchedCall callFor(int slot, boolean asking, int haste) {
        for (int i = calls.size() - 1; i >= 0; i--) {
            BatchedCall call = calls.get(i);
            if (call.slot == slot && call.asking == asking && call.haste == haste) {
                return call;
            }
        }
        return null;
    }

    /**
     * How long the store has had the batch by {@code now}, without the time this process was stalled; {@code paused} is
     * the total of that.
     */
    long tookNanos(long now, long paused) {
        return Math.max(0, now - sentNanos - (paused - pausedNanos));
    }

    /** Whether at least half of the calls failed. */
    boolean hasFailed() {
        return 2 * failed >= calls.size();
    }

    /** The earliest deadline of the callers that wait, or {@code otherwise} if that is earlier. */
    long earliest(long otherwise) {
        long earliest = otherwise;
        for (BatchedCall call : calls) {
            earliest = call.isOver() ? earliest : call.earliest(earliest);
        }
        return earliest;
    }

    /** Removes the asks whose deadline is not after {@code now}. Returns whether any caller still waits. */
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

    /** Visits the asks of all calls that have no result yet. */
    void forEach(Consumer<QueuedAsk> action) {
        for (BatchedCall call : calls) {
            for (int i = 0, size = call.isOver() ? 0 : call.groups(); i < size; i++) {
                action.accept(call.pending(i));
            }
        }
    }
}
