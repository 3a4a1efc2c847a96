package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.store.Check;

/** Routes asks, and parts of asks, to the connections of the store. */
public interface AskRouter {

    /** The hash slot of the counter of {@code check}. Checks of different hash slots share no call. */
    int slot(Check check);

    /** Sends {@code pending}; it is answered even if it fails at once. */
    void send(QueuedAsk pending);

    /** Fails {@code pending} without sending it. */
    void fail(QueuedAsk pending, StoreFailure failure);

    /** Sends {@code taken}, which gives back the hits that a part took; no caller waits for it. */
    void giveBack(QueuedAsk taken);

    /** How long the store may take to answer. Hits whose window ends sooner than that are not given back. */
    long patienceNanos();

    /** The monotonic clock of the deadlines. */
    long nanos();
}
