package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.DeadlineExtension;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.RequestCost;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Decides one request whose counters live in several places, all or nothing. A place is this process, a store, or a
 * hash slot of a store. Each place decides its own checks in one step and knows nothing of the others.
 *
 * <h2>Steps</h2>
 *
 * <ol>
 *   <li>This process evaluates its checks without taking ({@link #probeHere}): a local denial needs no store.
 *   <li>Checks that count denied hits take in any case: their places are asked all at once.
 *   <li>Of the other places, the one with the tightest limit is asked first, because it is the likeliest to deny.
 *   <li>If it passed, all others take, at once. This makes two round trips, however many places there are.
 *   <li>This process takes its checks. It denies at this step only if it ran out of room since the first step.
 *   <li>With an idempotency key, the place of the last check is asked last, and stores the key.
 *   <li>Checks that give hits back are sent when all else has passed: they deny nothing, and cannot be undone.
 * </ol>
 *
 * As soon as a check denies the request, the places that took hits get a give-back. The places not asked yet are asked
 * without taking, all at once, so that every check has its outcome.
 *
 * <h2>Bounds</h2>
 *
 * Each place takes no more than its limits allow, so admitted hits never exceed a limit. Hits that are taken and then
 * given back are unavailable to other requests meanwhile. A give-back is sent once, and only if it surely arrives in
 * the window from which the hits were taken (see {@link dev.weir.internal.store.GiveBackMargin}); otherwise the hits
 * stay spent. If a place fails, the decision continues, and the owner applies its failure policy. Whether the failed
 * place took the hits is unknown, so it gets no give-back.
 *
 * <h2>Idempotency</h2>
 *
 * The place of the last check is the same each time the request is sent. It is asked after all others have decided and
 * taken, so a stored key means that the whole request was admitted. It is asked for the key even if others denied. If
 * it knows the key, all hits taken or counted this time are given back. If it knows the key or does not answer, no
 * refund is sent a second time.
 *
 * <h2>Settling a hold</h2>
 *
 * The checks of a settlement deny nothing, so no place depends on another. All places are asked at once, and each keeps
 * the key beside its own counters. If a place does not answer, the caller settles again: the places that have settled
 * know the key, and only the others charge. The request is a repeat if every place knows the key.
 *
 * <h2>Deadline</h2>
 *
 * After the deadline no place is asked any more: the remaining checks fail. If all places answered so far, and this
 * process only read the answers late, the deadline is extended within the grace of the request. An extension by one
 * place also holds for the next one.
 *
 * <h2>Concurrency</h2>
 *
 * Places may answer on different threads. The thread of the last answer in flight takes the next step; no other thread
 * touches the state in between. Buffers are reused for the next request, so deciding allocates nothing.
 */
public final class MultiPlaceDecision {
    private final Places places;
    private final CheckStates states;
    private final LocalPlace here;
    private final GiveBacks giveBacks;
    private final PlaceAsks asks = new PlaceAsks(this);
    /** The ask whose place stores the idempotency key. */
    private @Nullable PlaceAsk keeper;
    /** Asks in flight, plus one while the asks of a step are still being sent. */
    private final AtomicInteger underWay = new AtomicInteger();

    private Executor home = Runnable::run;
    private long deadlineNanos;
    private long graceNanos;
    /** Whether several places are asked; most requests ask one, and have nothing to release. */
    private boolean started;

    private boolean deniedElsewhere;
    private boolean lookOnly;
    private boolean settles;
    /** The places that had settled the hold before. */
    private int settledBefore;

    private boolean tightestAsked;
    private boolean failed;
    private boolean repeated;
    private boolean conflict;
    /** Whether the key was used before, or the place that stores it did not answer. */
    private boolean mayBeKnown;

    public MultiPlaceDecision(Places places) {
        this.places = places;
        this.states = new CheckStates(places);
        this.here = new LocalPlace(places, states);
        this.giveBacks = new GiveBacks(places, states);
    }

    /** Starts the next request: all its checks are open. */
    public void begin() {
        states.begin();
    }

    public CheckStates states() {
        return states;
    }

    /** Whether the request was admitted before. */
    public boolean repeated() {
        return repeated;
    }

    /** Whether the key was admitted for a different request. */
    public boolean conflict() {
        return conflict;
    }

    /** The deadline of the request, including extensions. */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** By how much the deadline may still be extended. */
    public long graceNanos() {
        return graceNanos;
    }

    /**
     * Asks the places of all open checks, and calls the owner when the last has answered. {@code whole} provides the
     * deadline, grace, home and idempotency key. If the request is already denied, only checks that count denied hits
     * take.
     *
     * @param keyAlone whether each check and the key get a call of their own
     */
    public void start(Ask whole, boolean keyAlone) {
        started = true;
        home = whole.home;
        deadlineNanos = whole.deadlineNanos;
        graceNanos = whole.graceNanos;
        deniedElsewhere = whole.denied;
        lookOnly = whole.lookOnly;
        settles = whole.settles;
        settledBefore = 0;
        tightestAsked = false;
        failed = false;
        mayBeKnown = false;
        divide();
        keeper = whole.idempotency == null || settles ? null : keeper(whole.idempotency, keyAlone);
        for (int i = 0; settles && i < asks.size(); i++) {
            asks.get(i).idempotency = whole.idempotency;
        }
        goOn();
    }

    /** Releases references to objects of others. */
    public void end() {
        if (started) {
            started = false;
            asks.end();
            keeper = null;
            home = Runnable::run;
            deniedElsewhere = false;
            repeated = false;
            conflict = false;
        }
    }

    /**
     * Divides the checks over asks. Checks that count denied hits are decided each for itself, so that those of one
     * place may go in several asks, each of which its store can take in one step.
     */
    private void divide() {
        asks.begin(places.size());
        for (int i = 0; i < places.size(); i++) {
            Check check = places.check(i);
            if (states.isOpen(i) && !places.isHere(check)) {
                boolean counts = CheckStates.counts(check);
                long cost = counts ? RequestCost.of(check) : 0;
                asks.find(places.place(check), counts, check.hits < 0 && !settles, cost)
                        .add(i, check, cost);
            }
        }
    }

    /** The ask with the last check that is not counted here; without one, an ask that only looks up the key. */
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

    /** Records the answer to one ask. */
    void answered() {
        if (underWay.decrementAndGet() == 0) {
            goOn();
        }
    }

    /**
     * Takes the next step. It loops over places that answer at once, so that a thousand need no deeper stack than one.
     */
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

    /** Settles the answers, marks the asks of the next step and returns their number; 0 if all checks are decided. */
    private int next() {
        for (int i = 0; i < asks.size(); i++) {
            if (asks.get(i).underWay) {
                asks.get(i).underWay = false;
                receive(asks.get(i));
            }
        }
        if (settles) {
            return ask(false, false, false);
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

    /** Takes the checks of this process except refunds: a place may still deny the request, or know its key. */
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

    /** Marks all asks of a kind that were not sent yet, except the one that stores the key; returns their number. */
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

    /** Marks {@code ask} for this step; if the request is {@code denied}, it takes nothing. */
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
            long owed = DeadlineExtension.toAskOnceMore(now, deadlineNanos, places.patienceNanos() / 2);
            long longer = Math.min(owed, graceNanos);
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
        if (settles) {
            settledBefore += ask.repeated || ask.conflict ? 1 : 0;
            repeated = settledBefore == asks.size();
        } else if (ask == keeper) {
            repeated = ask.repeated;
            conflict = ask.conflict;
            mayBeKnown = repeated || conflict || ask.hasFailed();
        }
        places.settle(ask);
    }

    /** Evaluates the checks of this process without taking; if they deny the request, they are decided. */
    public void probeHere() {
        here.probe();
    }

    /** Takes the open checks of this process, if nothing denies the request. */
    public void takeHere() {
        here.take(true, isDenied());
    }

    /**
     * Decides the checks of this process after all places have answered. Gives back the taken hits if the request is
     * denied, or if {@code again} says that its key is known. Also for a request that asked a single place without
     * {@link #start}.
     */
    public void conclude(boolean again) {
        if (again) {
            here.ask();
        } else if (states.anyOpen()) {
            takeHere();
        }
        if (again || isDenied()) {
            giveBacks.send(asks, again);
        }
    }
}
