package dev.weir.internal.place;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.GiveBackMargin;
import org.jspecify.annotations.Nullable;

/** Gives back what the places of one request took in vain: each hit once, and only if it surely arrives in the window it was taken from. */
final class GiveBacks {
    /** Hits that are given back have time: nobody waits for them, and they are sent once. */
    private static final long MOST_NANOS = 1_000_000_000L;

    private final Places places;
    private final CheckStates states;
    /** What goes back to this process. */
    private final Checks here = new Checks();
    /** What is being filled to go back to one place. */
    private @Nullable Ask returning;

    GiveBacks(Places places, CheckStates states) {
        this.places = places;
        this.states = states;
    }

    /** Gives back what the places of {@code asks}, this process, or a single place without one took; if so, also what was {@code counted}. */
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

    /** For how long the hits of the check at {@code index} may be under way back from {@code now} on; 0 if they stay where they are. */
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
