package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends the batches of a {@link Batcher} to the store, and reports the result of every call to the batcher. Used in the
 * batcher's event loop, except the methods that any thread may call.
 */
public interface BatchTransport {

    /** The reason why nothing can be sent; null if it can. Any thread may call it. */
    @Nullable
    StoreFailure down();

    /** Whether the first connection is not established yet; asks wait for it. Any thread may call it. */
    boolean isNew();

    /** Whether the circuit breaker is open: the store failed so often of late that it is not asked for now. */
    boolean isOpen();

    /** Creates an empty call for hash slot {@code slot}. */
    BatchedCall call(int slot, boolean asking);

    /** Sends {@code calls} together. Reports the result of each to the batcher once, possibly before this returns. */
    void send(List<BatchedCall> calls);

    /** Reports a batch that succeeded after {@code nanos}. */
    void succeeded(long nanos);

    /** Reports a batch that failed after {@code nanos}, or that was abandoned because the store is silent. */
    void failed(long nanos);

    /**
     * How long the store may take to answer, however short a caller's deadline; half of it in silence counts as a
     * failure.
     */
    long patienceNanos();

    /** Reports that an ask, or a part of one, fails. Any thread may call it. */
    void unanswered(StoreFailure failure);
}
