package dev.weir.internal.batching;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Groups that go to the store in one message, in the order in which they came. A class and no interface, for it is met for every ask. */
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

    /** Takes up {@code group}, which does not change until the call is {@linkplain #done done}; false if it is full. An empty one takes any. */
    public abstract boolean add(CheckGroup group);

    public abstract int groups();

    public abstract CheckGroup group(int index);

    /** Nobody looks at its groups any more. */
    protected abstract void done();

    /** Nobody waits for it any more: what comes back need not be read. */
    public final boolean isAbandoned() {
        return round().abandoned;
    }

    /** When it is of no use any more to whoever in it has the least time. */
    public final long deadlineNanos() {
        return earliest(pending(0).deadlineNanos);
    }

    /** The earliest deadline of those who wait, or {@code otherwise} if that is earlier. */
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

    /** What became of it is known: its groups are not its own any more. */
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
