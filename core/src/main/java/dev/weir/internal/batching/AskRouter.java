package dev.weir.internal.batching;

import dev.weir.StoreFailure;
import dev.weir.internal.store.Check;

/** Which way asks go, and parts of them. */
public interface AskRouter {

    /** Where the counter of {@code check} lives: checks of different slots share no call. */
    int slot(Check check);

    /** Sends {@code pending}, which is told also if that fails at once. */
    void send(QueuedAsk pending);

    /** Tells {@code pending} that it failed: there is no use in sending it. */
    void fail(QueuedAsk pending, StoreFailure failure);

    /** Sends {@code taken}, for which nobody waits: what a part took, with its sign turned. */
    void giveBack(QueuedAsk taken);

    /** How long the store may take to answer: what has less time than that is not given back. */
    long patienceNanos();

    /** The monotonic clock that deadlines end by. */
    long nanos();
}
