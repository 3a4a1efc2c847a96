package dev.weir.simulation.store;

import dev.weir.StoreFailure;
import dev.weir.internal.batching.AskDispatcher;
import dev.weir.internal.batching.AskRouter;
import dev.weir.internal.batching.QueuedAsk;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A node's connections to the servers of one shared store. Its counters live in hash slots, and each server has some of
 * the slots. The real {@link AskDispatcher} decides requests over several slots.
 */
public final class StoreLinks implements SharedStore, AskRouter {
    private final MachineClock clock;
    private final LinkSettings settings;
    private final List<Link> links = new ArrayList<>();
    private final AskDispatcher dispatch = new AskDispatcher(this);
    private final int first;

    /** Creates the connections of {@code host} to {@code servers}, whose numbers are consecutive. */
    public StoreLinks(
            Timeline timeline,
            Host host,
            MachineClock clock,
            List<SimulatedStore> servers,
            LinkSettings settings,
            SplittableRandom random) {
        this.clock = clock;
        this.settings = settings;
        this.first = servers.get(0).number();
        servers.forEach(each -> links.add(new Link(timeline, host, clock, each, settings, random.split())));
    }

    /** Whether the server with this number belongs to this store. */
    public boolean leadsTo(int server) {
        return server >= first && server < first + links.size();
    }

    private Link link(int server) {
        return links.get(server - first);
    }

    /**
     * When the hits of the ask being answered were taken, by the clock of the first server; now, if it was not asked.
     */
    public long chargedMicros() {
        return links.get(0).chargedMicros();
    }

    /** The time of {@code server} at the last decision that this node received from it. */
    public long heardMicros(int server) {
        return link(server).heardMicros();
    }

    /**
     * Breaks the connection to {@code server}: asks in flight have an unknown outcome, and reconnecting takes a while.
     */
    public void breakOff(int server) {
        link(server).breakOff();
    }

    /** Blocks both directions to {@code server} for {@code nanos}; TCP delivers the messages afterwards. */
    public void cut(int server, long nanos) {
        link(server).cut(nanos);
    }

    @Override
    public void decide(Ask ask) {
        dispatch.decide(ask);
    }

    @Override
    public int slot(Check check) {
        return (int) Math.floorMod(check.name.subject(), (long) settings.slots());
    }

    @Override
    public void send(QueuedAsk pending) {
        links.get(pending.slot % links.size()).send(pending);
    }

    @Override
    public void fail(QueuedAsk pending, StoreFailure failure) {
        pending.refuse(failure);
    }

    @Override
    public void giveBack(QueuedAsk taken) {
        send(taken);
    }

    @Override
    public long patienceNanos() {
        return links.get(0).patienceNanos();
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    /**
     * Closes all links, because the process has ended: no ask is answered any more. Messages in flight may still
     * arrive.
     */
    @Override
    public void close() {
        links.forEach(Link::close);
    }
}
