package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What takes the rounds of a {@link Batcher} to the store, and tells the lane what came of every call. Used in the lane's loop but where
 * any thread may ask.
 */
public interface BatchTransport {

    /** Why nothing can be sent; null if it can. Any thread may ask. */
    @Nullable
    StoreFailure down();

    /** Whether it is not connected for the first time yet: that is worth waiting for. Any thread may ask. */
    boolean isNew();

    /** Whether the store failed so often of late that it is not to be asked for now. */
    boolean isOpen();

    /** An empty call that goes to {@code slot}. */
    BatchedCall call(int slot, boolean asking);

    /** Sends {@code calls} together. Of each the lane is told once what became of it, maybe before this returns. */
    void send(List<BatchedCall> calls);

    /** A round has ended, after {@code nanos}. */
    void succeeded(long nanos);

    /** A round has failed, or the store is silent and nobody waits for it any more, after {@code nanos}. */
    void failed(long nanos);

    /** How long the store may take to answer, however little time a caller has: half of it without a word speaks against the store. */
    long patienceNanos();

    /** An ask, or a part of one, is told that it failed. Any thread may say so. */
    void unanswered(StoreFailure failure);
}
