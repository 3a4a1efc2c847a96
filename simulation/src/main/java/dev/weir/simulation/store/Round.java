package dev.weir.simulation.store;

import dev.weir.simulation.clock.Event;
import dev.weir.store.Ask;
import dev.weir.store.Check;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node sends at once: a call of the script, on its way there and back. Who waits no longer has left it; what was sent for him
 * is on its way all the same.
 */
final class Round implements Event {
    private final Link link;
    private final SharedCounters store;
    /** Who waits; null for who has left. */
    private final List<@Nullable Ask> waiters = new ArrayList<>();
    /** What was sent. */
    private final List<Ask> sent = new ArrayList<>();
    /** The connection it was sent on. */
    final int connection;

    long sentNanos;
    /** Past this moment of the store's clock nothing is charged. */
    long expiryMicros;

    boolean abandoned;
    boolean back;
    boolean expired;
    /** What the store's clock showed when it decided. */
    long storeMicros;

    Round(Link link, SharedCounters store, int connection) {
        this.link = link;
        this.store = store;
        this.connection = connection;
    }

    void add(Ask ask) {
        waiters.add(ask);
        sent.add(ask);
    }

    int size() {
        return sent.size();
    }

    Ask sent(int index) {
        return sent.get(index);
    }

    @Nullable
    Ask waiter(int index) {
        return waiters.get(index);
    }

    /** Lets a waiter go, who may be asked for something else at once: what was sent for him becomes a copy. */
    void leave(int index) {
        Ask ask = sent.get(index);
        waiters.set(index, null);
        sent.set(index, new Sent(ask));
    }

    boolean isWaited() {
        for (int i = 0; i < waiters.size(); i++) {
            if (waiters.get(i) != null) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void happen() {
        if (back) {
            link.replied(this);
        } else {
            store.receive(this);
        }
    }

    Link link() {
        return link;
    }

    /** A copy of what was asked by somebody who has gone. */
    private static final class Sent extends Ask {
        Sent(Ask ask) {
            for (int i = 0; i < ask.checks.size(); i++) {
                Check check = checks.add();
                check.set(ask.checks.get(i));
            }
            checks.quotaPassed = ask.checks.quotaPassed;
            denied = ask.denied;
        }

        @Override
        public void answered() {
            throw new IllegalStateException("nobody waits for it");
        }
    }
}
