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

    /** How long an answer may take: what has less time is not worth sending. */
    long answerNanos();

    /** The monotonic clock that deadlines end by. */
    long nanos();
}
