package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/** What a {@link MultiPlaceDecision} asks of its owner: the checks of the request, and the way to each place. */
public interface Places {

    /** How many checks the request has. */
    int size();

    Check check(int index);

    /** Whether a quota that needs no counting has passed. */
    boolean quotaPassed();

    /** Whether this process counts {@code check} by itself. */
    boolean isHere(Check check);

    /** Where {@code check} is counted, if not here: checks with the same number share a call, others do not. */
    long place(Check check);

    /**
     * Decides {@code group} in this process, as {@link dev.weir.internal.store.LocalStore#decide}; if it is {@code denied} elsewhere, only what counts
     * when denied takes anything.
     */
    boolean decideHere(Checks group, boolean denied);

    /** Sends {@code ask} to its place, which answers it once. */
    void send(PlaceAsk ask);

    /** Answers {@code ask}, in its home, as one that had no time left: nobody was asked. */
    void expire(PlaceAsk ask);

    /** Takes in what a place answered to {@code ask}: tells the {@link CheckStates} of each of its checks. */
    void settle(PlaceAsk ask);

    /** Something was thrown while this process decided what it counts. */
    void failed(Throwable thrown);

    /** Every place has answered or failed: the decision is to be {@linkplain MultiPlaceDecision#conclude concluded}. */
    void decided();

    /** A buffer for what gives hits back to the place of {@code check}. */
    Ask giveBack(Check check);

    /** Sends {@code back}, which is full; nobody waits for it. */
    void sendBack(Ask back);

    /** How long a place may take to answer: hits that have less time than that are not given back. */
    long patienceNanos();

    /** The monotonic clock that deadlines end by. */
    long nanos();
}
