package dev.weir.internal.batching;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Check groups that go to the store in one message, in order of arrival. It is a class, not an interface, for speed:
 * every ask uses it.
 */
public abstract class BatchedCall {
    public final int slot;
    public final boolean asking;
    private @Nullable CallBatch round;
    private boolean over;
    int haste;

    protected BatchedCall(int slot, boolean asking) {
        this.slot = slot;
        this.asking = asking;
    }

    /**
     * Adds {@code group}, which must not change until the call is {@linkplain #done done}; false if it is full. An
     * empty call accepts any group that costs at most {@link dev.weir.internal.store.RequestCost#MAX_STEP}.
     */
    public abstract boolean add(CheckGroup group);

    public abstract int groups();

    public abstract CheckGroup group(int index);

    /** Called when the groups are no longer used. */
    protected abstract void done();

    /** Whether no caller waits for the call any more, so that its reply need not be read. */
    public final boolean isAbandoned() {
        return round().abandoned;
    }

    /** The earliest deadline of the call's groups. */
    public final long deadlineNanos() {
        return earliest(pending(0).deadlineNanos);
    }

    /** The earliest deadline of the callers that wait, or {@code otherwise} if that is earlier. */
    final long earliest(long otherwise) {
        long earliest = otherwise;
        for (int i = 0, size = groups(); i < size; i++) {
            QueuedAsk each = pending(i);
            if (each.isWaited() && each.deadlineNanos - earliest < 0) {
                earliest = each.deadlineNanos;
            }
        }
        return earliest;
    }

    /** Ends the call: its result is known, and it no longer owns its groups. */
    final void end() {
        over = true;
        done();
    }

    final boolean isOver() {
        return over;
    }

    final QueuedAsk pending(int index) {
        return Objects.requireNonNull(group(index).owner);
    }

    final CallBatch round() {
        return Objects.requireNonNull(round);
    }

    final void goesWith(CallBatch next, int itsHaste) {
        round = next;
        haste = itsHaste;
    }
}
