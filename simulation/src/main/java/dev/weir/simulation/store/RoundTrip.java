package dev.weir.simulation.store;

import dev.weir.internal.batching.BatchedCall;
import dev.weir.simulation.clock.Event;
import java.util.ArrayList;
import java.util.List;

/** A batch of script calls that a node sends at once, on its way there and back. Without calls it is a probe. */
final class RoundTrip implements Event {
    private final Link link;
    private final SimulatedStore store;
    final List<SimulatedScriptCall> calls;
    /** The connection it was sent on. */
    final int connection;

    final long sentNanos;
    /** The time of the store's clock when it decided. */
    long storeMicros;

    private boolean back;

    RoundTrip(Link link, SimulatedStore store, int connection, long sentNanos, List<BatchedCall> calls) {
        this.link = link;
        this.store = store;
        this.connection = connection;
        this.sentNanos = sentNanos;
        this.calls = new ArrayList<>(calls.size());
        for (BatchedCall each : calls) {
            this.calls.add((SimulatedScriptCall) each);
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
