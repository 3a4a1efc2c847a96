package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/**
 * The owner of a {@link MultiPlaceDecision}: it provides the checks of the request, and the connection to each place.
 */
public interface Places {

    /** The number of checks of the request. */
    int size();

    Check check(int index);

    /** Whether a quota that needs no counting has passed. */
    boolean quotaPassed();

    /** Whether this process counts {@code check} itself. */
    boolean isHere(Check check);

    /**
     * The number of the place that counts {@code check}, if not this process. Checks with the same number share a call.
     */
    long place(Check check);

    /**
     * Decides {@code group} in this process, like {@link dev.weir.internal.store.LocalStore#decide}. If the request is
     * {@code denied} elsewhere, only checks that count denied hits take.
     */
    boolean decideHere(Checks group, boolean denied);

    /** Sends {@code ask} to its place, which answers it once. */
    void send(PlaceAsk ask);

    /** Answers {@code ask}, in its home, as expired, without asking its place. */
    void expire(PlaceAsk ask);

    /** Settles the answer to {@code ask}: records the outcome of each of its checks in the {@link CheckStates}. */
    void settle(PlaceAsk ask);

    /** Reports an exception that was thrown while this process decided its checks. */
    void failed(Throwable thrown);

    /**
     * Reports that every place answered or failed; the owner must {@linkplain MultiPlaceDecision#conclude conclude}.
     */
    void decided();

    /** Returns a buffer for the give-back to the place of {@code check}. */
    Ask giveBack(Check check);

    /** Sends {@code back}, which is complete; no caller waits for it. */
    void sendBack(Ask back);

    /** How long a place may take to answer; hits whose window ends sooner are not given back. */
    long patienceNanos();

    /** The monotonic clock of deadlines. */
    long nanos();
}
