package dev.weir.coalesce;

import dev.weir.store.Check;
import dev.weir.store.StoreFailure;

/** Which way asks go, and parts of them. */
public interface Way {

    /** Where the counter of {@code check} lives: checks of different slots share no call. */
    int slot(Check check);

    /** Sends {@code pending}, which is told also if that fails at once. */
    void send(Pending pending);

    /** Tells {@code pending} that it failed: there is no use in sending it. */
    void fail(Pending pending, StoreFailure failure);

    /** Sends {@code taken}, for which nobody waits: what a part took, with its sign turned. */
    void giveBack(Pending taken);

    /** How long the store may take to answer: what has less time than that is not given back. */
    long patienceNanos();

    /** The monotonic clock that deadlines end by. */
    long nanos();
}
