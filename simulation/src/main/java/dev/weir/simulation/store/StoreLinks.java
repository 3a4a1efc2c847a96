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
 * A node's connections to the servers of one shared store. Its counters live in slots, and each server has some of the slots. How a
 * request over several slots is decided is the real {@link AskDispatcher}'s business.
 */
public final class StoreLinks implements SharedStore, AskRouter {
    private final MachineClock clock;
    private final LinkSettings settings;
    private final List<Link> links = new ArrayList<>();
    private final AskDispatcher dispatch = new AskDispatcher(this);
    private final int first;

    /** Connections of {@code host} to {@code servers}, whose numbers follow each other. */
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

    /** Whether the server with this number is one of this store's. */
    public boolean leadsTo(int server) {
        return server >= first && server < first + links.size();
    }

    private Link link(int server) {
        return links.get(server - first);
    }

    /** When the hits of whoever is being told were taken, by the clock of the first server; now, if nobody asked it for them. */
    public long chargedMicros() {
        return links.get(0).chargedMicros();
    }

    /** What the clock of {@code server} showed when it decided what this node last heard of. */
    public long heardMicros(int server) {
        return link(server).heardMicros();
    }

    /** The connection to {@code server} is lost: what is under way has an unknown outcome, and a new one takes a while. */
    public void breakOff(int server) {
        link(server).breakOff();
    }

    /** Nothing gets through to {@code server} and back for {@code nanos}; TCP delivers it afterwards. */
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

    /** The process is gone: nobody here is told anything any more. What it sent may still arrive. */
    @Override
    public void close() {
        links.forEach(Link::close);
    }
}
