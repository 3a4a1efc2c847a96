package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.GiveBackMargin;
import org.jspecify.annotations.Nullable;

/**
 * Gives back the hits that a denied request took. Each hit is given back once, and only if it surely arrives in the
 * window from which it was taken.
 */
final class GiveBacks {
    /** The timeout of a give-back. It can be long: no caller waits for it, and it is sent once. */
    private static final long MOST_NANOS = 1_000_000_000L;

    private final Places places;
    private final CheckStates states;
    /** The give-backs to this process. */
    private final Checks here = new Checks();
    /** The give-back to one place that is being filled. */
    private @Nullable Ask returning;

    GiveBacks(Places places, CheckStates states) {
        this.places = places;
        this.states = states;
    }

    /**
     * Gives back the hits that the places of {@code asks} and this process took; with {@code counted} also the counted
     * hits.
     */
    void send(PlaceAsks asks, boolean counted) {
        long now = places.nanos();
        here.clear();
        for (int i = 0; i < asks.size(); i++) {
            PlaceAsk from = asks.get(i);
            for (int at = 0; from.sent && at < from.checks.size(); at++) {
                add(from.indices()[at], counted, now);
            }
            send();
        }
        for (int i = 0; i < places.size(); i++) { // what this process counts, and all that a single place was asked for
            add(i, counted, now);
        }
        send();
        if (here.size() > 0) {
            places.decideHere(here, false);
        }
    }

    /** Gives back the hits of the check at {@code index}, if they are owed and surely arrive in their window. */
    private void add(int index, boolean counted, long now) {
        if (!states.isOwed(index, counted)) {
            return;
        }
        states.settled(index);
        Check check = places.check(index);
        long left = returningNanos(index, now);
        if (left > 0 && places.isHere(check)) {
            addReturning(here, check);
        } else if (left > 0) {
            Ask back = returning;
            if (back == null) {
                back = places.giveBack(check);
                back.deadlineNanos = now + MOST_NANOS;
                returning = back;
            }
            addReturning(back.checks, check);
            back.deadlineNanos = Math.min(back.deadlineNanos - now, left) + now;
        }
    }

    private void send() {
        Ask back = returning;
        if (back != null) {
            returning = null;
            places.sendBack(back);
        }
    }

    /**
     * How long a give-back of the check at {@code index} may take from {@code now} on; 0 if the hits cannot be given
     * back.
     */
    private long returningNanos(int index, long now) {
        Check check = places.check(index);
        if (check.meter == null) {
            return 0;
        }
        long until = GiveBackMargin.untilNanos(check.meter, check.outcome, states.sentNanos(index), now);
        return GiveBackMargin.isInTime(until, now, places.patienceNanos()) ? until - now : 0;
    }

    private static void addReturning(Checks back, Check taken) {
        back.add().setReturning(taken);
        long remaining = taken.outcome.remaining + (taken.outcome.allowed ? taken.hits : 0);
        taken.outcome.remaining = remaining < 0 ? Long.MAX_VALUE : remaining;
    }
}
