package dev.weir.simulation.store;

import dev.weir.coalesce.Call;
import dev.weir.simulation.clock.Event;
import java.util.ArrayList;
import java.util.List;

/** What a node sends at once: calls of the script, on their way there and back. Without any it is a probe. */
final class Flight implements Event {
    private final Link link;
    private final SharedCounters store;
    final List<StoreCall> calls;
    /** The connection it was sent on. */
    final int connection;

    final long sentNanos;
    /** What the store's clock showed when it decided. */
    long storeMicros;

    private boolean back;

    Flight(Link link, SharedCounters store, int connection, long sentNanos, List<Call> calls) {
        this.link = link;
        this.store = store;
        this.connection = connection;
        this.sentNanos = sentNanos;
        this.calls = new ArrayList<>(calls.size());
        for (Call each : calls) {
            this.calls.add((StoreCall) each);
        }
    }

    Link link() {
        return link;
    }

    void turnBack() {
        back = true;
    }

    @Override
    public void happen() {
        if (back) {
            link.returned(this);
        } else {
            store.receive(this);
        }
    }
}
