package dev.weir.coalesce;

import dev.weir.store.Check;

/** Which way asks go, and parts of them. */
public interface Way {

    /** Where the counter of {@code check} lives: checks of different slots share no call. */
    int slot(Check check);

    /** Sends {@code pending}, which is told also if that fails at once. */
    void send(Pending pending);

    /** Sends {@code taken}, for which nobody waits: what a part took, with its sign turned. */
    void giveBack(Pending taken);

    /** The monotonic clock that deadlines end by. */
    long nanos();
}
