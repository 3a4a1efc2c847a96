package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Idempotency;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Decides one request whose counters live in several places, all or nothing. A place is this process, a store, or a slot of a store:
 * whatever decides the checks that it has in one step, and knows nothing of the others.
 *
 * <h2>Steps</h2>
 *
 * <ol>
 *   <li>This process is asked first and takes nothing ({@link #probeHere}): what it denies needs no store.
 *   <li>Checks that count when denied take in any case: their places are asked all at once.
 *   <li>Of the others, the place with the tightest limit is asked, for it is the likeliest to deny.
 *   <li>If it passed, all others take, at once. That is two round trips, however many places there are.
 *   <li>This process takes what it counts. So it gives back only if it ran out of room in between.
 *   <li>With an idempotency key, the place of the last check is asked last, and keeps the key.
 *   <li>Checks that give hits back go when all else has passed: they deny nothing, and could not be undone.
 * </ol>
 *
 * As soon as a check denies the request, the places that took for it get their hits back, and those that were not asked yet are asked
 * without taking, all at once, so that every check has its outcome.
 *
 * <h2>Bounds</h2>
 *
 * Each place takes no more than its limits allow, so what is admitted never exceeds one. Hits that are taken and given back are missing to
 * others meanwhile. A give-back is sent once, and only if it surely arrives in the window that the hits were taken from (see {@link
 * dev.weir.internal.store.GiveBackMargin}); else they count as spent. A place that fails stops nobody here: its owner says what that means. Whether it took is not
 * known, so nothing is given back to it.
 *
 * <h2>Idempotency</h2>
 *
 * The place of the last check is the same each time the request is sent. It is asked when all others have decided and taken, so what it
 * keeps was admitted as a whole. It is asked for the key also if others denied. If it knows the key, all that was taken or counted this
 * time goes back. If it knows the key or does not answer, no place is given a refund again.
 *
 * <h2>Deadline</h2>
 *
 * After the deadline no place is asked any more: its checks fail. If all were answered so far, and it is this process that heard of it
 * too late, the deadline moves, as far as the request has grace. What a place moved it by holds for the next one.
 *
 * <h2>Concurrency</h2>
 *
 * Places may answer on different threads. The last one that is under way goes on; nothing else touches the state in between. Buffers are
 * kept for the next request, so deciding allocates nothing.
 */
public final class MultiPlaceDecision {
    private final Places places;
    private final CheckStates states;
    private final LocalPlace here;
    private final GiveBacks giveBacks;
    private final PlaceAsks asks = new PlaceAsks(this);
    /** The one that keeps the idempotency key. */
    private @Nullable PlaceAsk keeper;
    /** Places that were asked and have not answered; and one more as long as not all of a step were asked. */
    private final AtomicInteger underWay = new AtomicInteger();

    private Executor home = Runnable::run;
    private long deadlineNanos;
    private long graceNanos;
    private boolean deniedElsewhere;
    private boolean lookOnly;
    private boolean tightestAsked;
    private boolean failed;
    private boolean repeated;
    private boolean conflict;
    /** The key was used before, or its keeper did not say. */
    private boolean mayBeKnown;

    public MultiPlaceDecision(Places places) {
        this.places = places;
        this.states = new CheckStates(places);
        this.here = new LocalPlace(places, states);
        this.giveBacks = new GiveBacks(places, states);
    }

    /** The next request begins: all its checks are open. */
    public void begin() {
        states.begin();
        asks.end();
        deniedElsewhere = false;
        repeated = false;
        conflict = false;
    }

    public CheckStates states() {
        return states;
    }

    /** The request was admitted before. */
    public boolean repeated() {
        return repeated;
    }

    /** The key of the request was admitted for something else. */
    public boolean conflict() {
        return conflict;
    }

    /** When the request has to be decided: later than it was asked to, if that was moved. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** By how much that may still be moved. */
    public long graceNanos() {
        return graceNanos;
    }

    /**
     * Asks the places of all open checks, and tells the owner when the last has answered. Deadline, grace, home and idempotency key are
     * those of {@code whole}; if it is denied already, nothing takes but what counts when denied.
     *
     * @param keyAlone each check is asked by itself, and so is the key
     */
    public void start(Ask whole, boolean keyAlone) {
        home = whole.home;
        deadlineNanos = whole.deadlineNanos;
        graceNanos = whole.graceNanos;
        deniedElsewhere = whole.denied;
        lookOnly = whole.lookOnly;
        tightestAsked = false;
        failed = false;
        mayBeKnown = false;
        divide();
        keeper = whole.idempotency == null ? null : keeper(whole.idempotency, keyAlone);
        goOn();
    }

    /** Lets go of what others own. */
    public void end() {
        asks.end();
        keeper = null;
        home = Runnable::run;
    }

    private void divide() {
        asks.begin(places.size());
        for (int i = 0; i < places.size(); i++) {
            Check check = places.check(i);
            if (states.isOpen(i) && !places.isHere(check)) {
                asks.find(places.place(check), CheckStates.counts(check), check.hits < 0)
                        .add(i, check);
            }
        }
    }

    /** The ask with the last check that is not counted here; or one for nothing but the key, which is looked up in any case. */
    private @Nullable PlaceAsk keeper(Idempotency idempotency, boolean keyAlone) {
        int last = -1;
        PlaceAsk found = null;
        for (int i = 0; i < asks.size(); i++) {
            int itsLast = asks.get(i).indices()[asks.get(i).checks.size() - 1];
            if (itsLast > last) {
                last = itsLast;
                found = asks.get(i);
            }
        }
        if (found != null && keyAlone) {
            found = asks.add(found.place, true, false);
        }
        if (found != null) {
            found.idempotency = idempotency;
        }
        return found;
    }

    /** An ask was answered. */
    void answered() {
        if (underWay.decrementAndGet() == 0) {
            goOn();
        }
    }

    /** Takes the next step. Places that answer at once are gone on with here, so that a thousand need no deeper stack than one. */
    private void goOn() {
        int next = next();
        while (next > 0) {
            underWay.set(next + 1);
            for (int i = 0; i < asks.size(); i++) {
                if (asks.get(i).underWay) {
                    send(asks.get(i));
                }
            }
            if (underWay.decrementAndGet() > 0) {
                return;
            }
            next = next();
        }
        places.decided();
    }

    /** Takes in what was answered, and says how many are asked now: each of them is marked. None if all are decided. */
    private int next() {
        for (int i = 0; i < asks.size(); i++) {
            if (asks.get(i).underWay) {
                asks.get(i).underWay = false;
                receive(asks.get(i));
            }
        }
        int next;
        boolean denied = isDenied();
        states.countQuotas();
        if (denied) {
            giveBacks.send(asks, false);
            next = ask(false, false, true) + ask(true, false, true);
        } else {
            next = ask(true, false, false);
            next = next > 0 ? next : askTightest();
            next = next > 0 ? next : ask(false, false, false);
        }
        if (next == 0 && keeper != null && !keeper.sent) {
            takeBut();
            denied = isDenied();
            states.countQuotas();
            keeper.lookOnly = lookOnly || failed || denied; // what a failure policy has a part in is not kept
            mark(keeper, denied);
            next = 1;
        }
        if (next == 0 && anyRefund()) {
            takeBut();
            denied = mayBeKnown || isDenied();
            next = ask(false, true, denied) + ask(true, true, denied);
        }
        return next;
    }

    /** Takes what this process counts, but refunds: a place may yet deny the request, or know it. */
    private void takeBut() {
        try {
            here.take(false, isDenied());
        } catch (RuntimeException | Error e) {
            places.failed(e);
        }
    }

    private boolean isDenied() {
        return deniedElsewhere || states.denied();
    }

    /** Asks all of a kind that were not asked yet, but who keeps the key; of a request that is denied or not. */
    private int ask(boolean counts, boolean refunds, boolean denied) {
        int asked = 0;
        for (int i = 0; i < asks.size(); i++) {
            PlaceAsk each = asks.get(i);
            if (!each.sent && each != keeper && each.counts() == counts && each.refunds == refunds) {
                mark(each, denied);
                asked++;
            }
        }
        return asked;
    }

    private int askTightest() {
        PlaceAsk tightest = null;
        for (int i = 0; i < asks.size() && !tightestAsked; i++) {
            PlaceAsk each = asks.get(i);
            boolean takes = !each.sent && each != keeper && !each.counts() && !each.refunds;
            if (takes && (tightest == null || each.capacity() < tightest.capacity())) {
                tightest = each;
            }
        }
        tightestAsked = true;
        if (tightest == null) {
            return 0;
        }
        mark(tightest, false);
        return 1;
    }

    private boolean anyRefund() {
        for (int i = 0; i < asks.size(); i++) {
            if (asks.get(i).refunds && !asks.get(i).sent) {
                return true;
            }
        }
        return false;
    }

    /** {@code ask} goes with this step, for a request that is denied or not. */
    private void mark(PlaceAsk ask, boolean denied) {
        ask.sent = true;
        ask.underWay = true;
        ask.denied = denied;
        for (int i = 0; i < ask.checks.size(); i++) {
            Check check = ask.checks.get(i);
            check.ahead = denied ? 0 : check.ahead; // nothing is taken of what is denied
            check.countsDenied &= !mayBeKnown;
        }
        if (mayBeKnown) {
            ask.countNothing();
        }
        ask.checks.quotaPassed = states.quotaPassedBeside(ask.indices(), ask.checks.size());
    }

    private void send(PlaceAsk ask) {
        long now = places.nanos();
        if (!failed && deadlineNanos - now <= 0) { // all answered in time: it is this process that is late
            long longer = Math.min(now - deadlineNanos + places.patienceNanos() / 2, graceNanos);
            deadlineNanos += longer;
            graceNanos -= longer;
        }
        ask.sentNanos = now;
        ask.home = home;
        ask.deadlineNanos = deadlineNanos;
        ask.patienceNanos = deadlineNanos - now;
        ask.graceNanos = graceNanos;
        if (deadlineNanos - now > 0) {
            places.send(ask);
        } else {
            places.expire(ask);
        }
    }

    private void receive(PlaceAsk ask) {
        for (int i = 0; i < ask.checks.size(); i++) {
            Check from = ask.checks.get(i);
            Check to = places.check(ask.indices()[i]);
            to.failure = from.failure;
            to.outcome.set(from.outcome);
            to.granted = from.granted;
        }
        if (ask.deadlineNanos - deadlineNanos > 0) {
            deadlineNanos = ask.deadlineNanos;
            graceNanos = ask.graceNanos;
        }
        failed |= ask.hasFailed();
        if (ask == keeper) {
            repeated = ask.repeated;
            conflict = ask.conflict;
            mayBeKnown = repeated || conflict || ask.hasFailed();
        }
        places.settle(ask);
    }

    /** Asks what this process counts, and takes nothing; if that denies the request, those checks are decided. */
    public void probeHere() {
        here.probe();
    }

    /** Takes what this process counts and is still open, if nothing denies the request. */
    public void takeHere() {
        here.take(true, isDenied());
    }

    /**
     * Decides what this process counts, when all others have answered, and gives back what was taken in vain: if the request is denied, or
     * if it was {@code again} sent with a key that is known. Also for a request that asked a single place without {@link #start}.
     */
    public void conclude(boolean again) {
        if (again) {
            here.ask();
        } else {
            takeHere();
        }
        if (again || isDenied()) {
            giveBacks.send(asks, again);
        }
    }
}
