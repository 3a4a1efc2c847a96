package dev.weir.simulation.store;

import dev.weir.internal.batching.CheckGroup;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A server of a shared store, as a machine. It has its own clock, decides one call after the other, can pause, and can
 * fail over to a replica that lacks the last writes.
 */
public final class SimulatedStore {
    private final int number;
    private final Timeline timeline;
    private final HitObserver takings;
    private final SimulatedCounters counters = new SimulatedCounters();
    private final SimulatedScript desk;
    private final List<Link> links = new ArrayList<>();
    private final ArrayDeque<RoundTrip> backlog = new ArrayDeque<>();
    private MachineClock clock;
    private long pausedUntil;
    private long downUntil;
    /** The replication lag. */
    private long lagNanos;

    private long calls;
    private long checks;

    /** Creates the server with this number among those of all stores. */
    public SimulatedStore(int number, Timeline timeline, MachineClock clock, HitObserver takings) {
        this.number = number;
        this.timeline = timeline;
        this.clock = clock;
        this.takings = takings;
        this.desk = new SimulatedScript(counters, timeline, takings);
    }

    void add(Link link) {
        links.add(link);
    }

    public int number() {
        return number;
    }

    public MachineClock clock() {
        return clock;
    }

    /** The number of script calls so far. */
    public long calls() {
        return calls;
    }

    /** The number of checks in these calls; equal checks of one counter in one call count once. */
    public long checks() {
        return checks;
    }

    /** Adds a replica that lags {@code nanos} behind; {@link #failOver} needs one. */
    public void replica(long nanos) {
        lagNanos = nanos;
        counters.remember(nanos);
    }

    /** Pauses the server for {@code nanos}, as by SIGSTOP: calls that arrive wait. */
    public void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, timeline.now() + nanos);
        timeline.at(pausedUntil, this::resume);
    }

    /**
     * Promotes the replica, which has its own clock. Writes not yet replicated are lost, all connections break, and the
     * store does not answer for {@code nanos}.
     */
    public void failOver(long nanos, MachineClock replica) {
        long moment = timeline.now() - lagNanos;
        counters.rollBack(moment);
        desk.rollBack(moment);
        takings.forgot(moment);
        clock = replica;
        backlog.clear();
        pausedUntil = 0;
        downUntil = Math.max(downUntil, timeline.now() + nanos);
        links.forEach(Link::breakOff);
    }

    boolean isDown() {
        return timeline.now() < downUntil;
    }

    void receive(RoundTrip flight) {
        if (flight.connection != flight.link().connection()) {
            return; // nobody reads what arrives on a connection that was closed before
        }
        if (timeline.now() < pausedUntil) {
            backlog.add(flight);
            return;
        }
        serve(flight);
    }

    private void resume() {
        while (timeline.now() >= pausedUntil && !backlog.isEmpty()) {
            serve(backlog.poll());
        }
    }

    private void serve(RoundTrip flight) {
        long now = clock.micros();
        flight.storeMicros = now;
        int node = flight.link().isClosed() ? HitObserver.NOBODY : flight.link().node();
        takings.storeShows(now);
        calls += Math.max(1, flight.calls.size());
        for (SimulatedScriptCall call : flight.calls) {
            call.expired = now > call.expiryMicros;
            if (!call.expired) {
                serve(call, node, now);
            }
        }
        flight.turnBack();
        flight.link().sendBack(flight);
    }

    private void serve(SimulatedScriptCall call, int node, long now) {
        for (int i = 0; i < call.groups(); i++) {
            CheckGroup group = call.group(i);
            group.storeMicros = now;
            desk.decide(node, group, call.slot, now);
            checks += isFirst(call, i) ? group.size() : 0;
        }
    }

    /** Whether this is the first of equal checks of one counter; the script sends them as one entry with a count. */
    private static boolean isFirst(SimulatedScriptCall call, int index) {
        CheckGroup group = call.group(index);
        if (group.size() != 1) {
            return true;
        }
        for (int i = 0; i < index; i++) {
            CheckGroup other = call.group(i);
            if (other.size() == 1 && other.get(0).key0 == group.get(0).key0 && other.get(0).hits == group.get(0).hits) {
                return false;
            }
        }
        return true;
    }
}
