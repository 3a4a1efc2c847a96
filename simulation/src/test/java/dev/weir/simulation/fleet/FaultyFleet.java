package dev.weir.simulation.fleet;

import dev.weir.Request;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.store.StoreLinks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Nodes with the real limiter before simulated stores, on virtual time, and the faults that strike them: nodes are killed,
 * paused and suspended, connections break and lose messages, stores stall. Tests add rules and callers.
 */
abstract class FaultyFleet {
    static final long MILLI = 1_000_000;

    /** A node that asks stores without a mistake. */
    static final BiConsumer<SharedStore, Ask> AS_IT_IS = SharedStore::decide;

    final SplittableRandom random;
    final Timeline timeline = new Timeline();
    final List<SimulatedNode> nodes = new ArrayList<>();
    final List<SimulatedStore> servers = new ArrayList<>();
    private final BiConsumer<SharedStore, Ask> asking;
    private final Faults faults;

    /**
     * The faults of a run; times in nanoseconds.
     *
     * @param between the longest time between two of them
     * @param outage the longest time for which a node is down, paused or suspended
     * @param cut the longest time for which a connection passes nothing on
     * @param stall the longest time for which a store stalls
     * @param suspends whether the clock of a machine may stop
     */
    record Faults(long between, long outage, long cut, long stall, boolean suspends) {}

    /** Creates a fleet without nodes, which asks its stores through {@code asking}. */
    FaultyFleet(long seed, Faults faults, BiConsumer<SharedStore, Ask> asking) {
        this.random = new SplittableRandom(seed);
        this.faults = faults;
        this.asking = asking;
    }

    /** Makes the process of {@code node}. */
    abstract SimulatedNode.Life process(SimulatedNode node);

    final void addServer(long skewMicros, HitObserver observer) {
        MachineClock clock = new MachineClock(timeline, skewMicros, 0, 0);
        servers.add(new SimulatedStore(servers.size(), timeline, clock, observer));
    }

    final void startNodes(int count) {
        for (int i = 0; i < count; i++) {
            nodes.add(new SimulatedNode(i, timeline));
            start(nodes.get(i));
        }
    }

    private void start(SimulatedNode node) {
        if (!node.isUp()) {
            node.start(process(node));
        }
    }

    final MachineClock clock(long skewMicros) {
        return new MachineClock(timeline, skewMicros, random.nextLong(1L << 40), random.nextLong(200));
    }

    /** Links that lose a message in five hundred, to one server. */
    static LinkSettings link() {
        return new LinkSettings(new Latency(MILLI / 4, MILLI), 0.002, 200 * MILLI, 50 * MILLI, 1);
    }

    /** A process of {@code node} with the real limiter, whose only store is the first server. */
    final SimulatedNode.Life process(SimulatedNode node, MachineClock clock, WrittenRules rules) {
        StoreLinks links = new StoreLinks(timeline, node, clock, servers.subList(0, 1), link(), random);
        Limiter limiter = limiter(clock, rules, Map.of("default", links));
        return new SimulatedNode.Life(clock, List.of(links), new LimiterNode(limiter));
    }

    final Limiter limiter(MachineClock clock, WrittenRules rules, Map<String, StoreLinks> stores) {
        Map<String, SharedStore> asked = new HashMap<>();
        stores.forEach((name, links) -> asked.put(name, new AskedStore(links, asking)));
        return new Limiter(
                rules,
                new MemoryStore(64),
                SharedStores.of(asked),
                clock,
                LimiterSettings.defaults(),
                new LimiterObserver() {});
    }

    /** Strikes from {@code begin} to {@code end}. */
    final void strike(long begin, long end) {
        for (long at = begin; at < end; at += 1 + random.nextLong(faults.between)) {
            timeline.at(at, this::strike);
        }
    }

    private void strike() {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        int server = random.nextInt(servers.size());
        long outage = random.nextLong(faults.outage);
        switch (random.nextInt(faults.suspends ? 6 : 5)) {
            case 0 -> {
                node.kill();
                timeline.after(outage, () -> start(node));
            }
            case 1 -> node.pause(outage);
            case 2 -> onLife(node, life -> life.linksTo(server).cut(server, random.nextLong(faults.cut)));
            case 3 -> onLife(node, life -> life.linksTo(server).breakOff(server));
            case 4 -> servers.get(server).pause(random.nextLong(faults.stall));
            default ->
                onLife(node, life -> {
                    life.clock().suspend(outage);
                    node.pause(outage);
                });
        }
    }

    private static void onLife(SimulatedNode node, Consumer<SimulatedNode.Life> harm) {
        SimulatedNode.Life life = node.life();
        if (life != null) {
            harm.accept(life);
        }
    }

    /** Calls the periodic task of every node that runs, now and again and again. */
    final void tick() {
        for (SimulatedNode each : nodes) {
            SimulatedNode.Life life = each.life();
            if (life != null && runs(each)) {
                life.peer().tick();
            }
        }
        timeline.after(Limiter.TICK_MILLIS * MILLI, this::tick);
    }

    private boolean runs(SimulatedNode node) {
        return node.life() != null && timeline.now() >= node.pausedUntil();
    }

    /** A node at random, if it runs. */
    final @Nullable SimulatedNode anyNode() {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        return runs(node) ? node : null;
    }

    /** The process of a node at random that runs; null if none does. */
    final SimulatedNode.@Nullable Life someLife() {
        int first = random.nextInt(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            SimulatedNode node = nodes.get((first + i) % nodes.size());
            if (runs(node)) {
                return node.life();
            }
        }
        return null;
    }

    /** The limiter of a node at random that runs; null if none does. */
    final @Nullable Limiter someLimiter() {
        SimulatedNode.Life life = someLife();
        return life == null ? null : ((LimiterNode) life.peer()).limiter();
    }

    /** A store, as a node with or without a mistake asks it. */
    private record AskedStore(SharedStore store, BiConsumer<SharedStore, Ask> asking) implements SharedStore {
        @Override
        public void decide(Ask ask) {
            asking.accept(store, ask);
        }

        @Override
        public int slot(Check check) {
            return store.slot(check);
        }

        @Override
        public void close() {
            store.close();
        }
    }

    /** Waits for a decision. */
    record Caller(Consumer<MutableDecision> then) implements Waiter {
        @Override
        public Executor home() {
            return Runnable::run;
        }

        @Override
        public void decided(Request request, MutableDecision decision) {
            then.accept(decision);
        }
    }

    /** The real limiter on a node. */
    record LimiterNode(Limiter limiter) implements NodeLimiter {
        @Override
        public boolean decide(Request request, long nowMicros, MutableDecision into, WaiterSupplier later) {
            return limiter.decide(request, nowMicros, into, later);
        }

        @Override
        public void tick() {
            limiter.tick();
        }

        @Override
        public void stop() {}
    }

    /** Ignores what a store takes. */
    static final class Unwatched implements HitObserver {
        @Override
        public void storeShows(long micros) {}

        @Override
        public void took(int node, Check check, long hits, Outcome outcome, boolean ahead) {}

        @Override
        public void forgot(long moment) {}
    }
}
