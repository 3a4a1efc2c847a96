package dev.weir.simulation.fleet;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.ruleset.RuleIndex;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.SimulatedNode.Life;
import dev.weir.simulation.store.ShardedStore;
import dev.weir.simulation.store.StoreLinks;
import dev.weir.simulation.traffic.Destination;
import dev.weir.simulation.traffic.Flow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A fleet of nodes that share stores, and the requests to it. */
public final class Fleet implements Destination {
    private static final long TICK_NANOS = Limiter.TICK_MILLIS * 1_000_000L;
    /** The key of the rules that nodes in no region have. */
    private static final String ANYWHERE = "";

    private static final Executor AT_ONCE = Runnable::run;

    private final Timeline timeline;
    private final List<ShardedStore> stores;
    private final Map<String, RuleIndex> rules = new HashMap<>();
    private final FleetSettings settings;
    private final SplittableRandom random;
    private final FleetObserver watcher;
    private final PlantedMistakes planted;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Map<SimulatedNode, Listener> listeners = new HashMap<>();
    private final Request request = Request.to("");
    private final MutableDecision decision = new MutableDecision();
    private final ArrayDeque<Visit> idle = new ArrayDeque<>();
    /** Supplies the current visit, if its decision has to wait. */
    private final WaiterSupplier later = this::waiter;

    private @Nullable Flow flow;
    private int caller;
    private @Nullable SimulatedNode node;
    private boolean closed;

    /**
     * Creates a fleet with the mistakes that are {@code planted} in it. If it is in regions, there is a store of each,
     * with its name, and {@code byRegion} has its rules.
     */
    public Fleet(
            Timeline timeline,
            List<ShardedStore> stores,
            WrittenRules rules,
            Map<String, WrittenRules> byRegion,
            FleetSettings settings,
            SplittableRandom random,
            FleetObserver watcher,
            PlantedMistakes planted) {
        this.timeline = timeline;
        this.stores = List.copyOf(stores);
        this.rules.put(ANYWHERE, RuleIndex.of(rules));
        byRegion.forEach((region, own) -> this.rules.put(region, RuleIndex.of(own)));
        this.settings = settings;
        this.random = random.split();
        this.watcher = watcher;
        this.planted = planted;
        for (int i = 0; i < settings.nodes(); i++) {
            SimulatedNode next = new SimulatedNode(i, timeline);
            nodes.add(next);
            start(next);
        }
    }

    public List<SimulatedNode> nodes() {
        return nodes;
    }

    @Override
    public void arrive(Flow flow, int caller, int number) {
        SimulatedNode to = nodes.get(number);
        for (int i = 1; !to.isUp() && i < nodes.size(); i++) {
            to = nodes.get((number + i) % nodes.size());
        }
        Life life = to.life();
        if (life == null || closed) {
            return; // nobody is there to let it pass or deny it
        }
        if (timeline.now() < to.pausedUntil()) {
            timeline.at(to.pausedUntil(), () -> arrive(flow, caller, number));
            return;
        }
        flow.fill(request, caller);
        this.flow = flow;
        this.caller = caller;
        this.node = to;
        if (life.peer().decide(request, life.clock().micros(), decision, later)) {
            told(flow, caller, to, life, decision, false);
        }
    }

    /** Starts the process of {@code node}, unless it runs. */
    public void start(SimulatedNode node) {
        if (!node.isUp()) {
            long skew = settings.clockSkewMicros();
            long drift = settings.driftMillionths();
            MachineClock clock = planted.clocks()
                    .apply(new MachineClock(
                            timeline,
                            skew == 0 ? 0 : random.nextLong(-skew, skew + 1),
                            random.nextLong(1L << 40),
                            drift == 0 ? 0 : random.nextLong(-drift, drift + 1)));
            List<StoreLinks> links = new ArrayList<>();
            Map<String, SharedStore> heard = new LinkedHashMap<>();
            Listener listener = new Listener(node, clock);
            listeners.put(node, listener);
            RegionLayout regions = settings.regions();
            String region = regions == null ? ANYWHERE : regions.regionOf(node.number());
            for (ShardedStore each : reachable(regions, region)) {
                StoreLinks next = new StoreLinks(timeline, node, clock, each.servers(), each.link(), random);
                links.add(next);
                heard.put(each.name(), planted.stores().apply(new ObservedStore(next, listener.to(next))));
            }
            Life life = new Life(clock, links, peer(region, heard, clock));
            node.start(life);
            watcher.started(node);
            timeline.after(random.nextLong(TICK_NANOS), () -> tick(node, life));
        }
    }

    /** The stores that the nodes of {@code region} reach, by their names there: its own first. */
    private List<ShardedStore> reachable(@Nullable RegionLayout regions, String region) {
        if (regions == null) {
            return stores;
        }
        List<ShardedStore> reached = new ArrayList<>();
        for (ShardedStore each : stores) {
            if (each.name().equals(region)) {
                reached.add(0, new ShardedStore(Rule.DEFAULT_STORE, each.link(), each.servers()));
            } else {
                reached.add(new ShardedStore(RegionLayout.storeOf(each.name()), regions.far(), each.servers()));
            }
        }
        return reached;
    }

    private void tick(SimulatedNode node, Life life) {
        if (!life.equals(node.life())) {
            return;
        }
        if (timeline.now() < node.pausedUntil()) {
            timeline.at(node.pausedUntil(), () -> tick(node, life));
            return;
        }
        life.peer().tick();
        timeline.after(TICK_NANOS, () -> tick(node, life));
    }

    /** Ends the process of {@code node} as kill -9 does. */
    public void kill(SimulatedNode node) {
        node.kill();
    }

    /** Ends the process of {@code node} as SIGTERM does: it gives back its leases and decides nothing more. */
    public void stop(SimulatedNode node) {
        Life life = node.life();
        if (life != null) {
            life.peer().stop();
            node.leave();
        }
    }

    /** Stops {@code node} for {@code nanos} as SIGSTOP does. */
    public void pause(SimulatedNode node, long nanos) {
        node.pause(nanos);
    }

    /** Suspends the machine of {@code node} for {@code nanos}, as a hypervisor does; its connections stay. */
    public void suspend(SimulatedNode node, long nanos) {
        Life life = node.life();
        if (life != null) {
            life.clock().suspend(nanos);
            node.pause(nanos);
        }
    }

    /** Breaks the connection between {@code node} and {@code server}. */
    public void breakOff(SimulatedNode node, int server) {
        Life life = node.life();
        if (life != null && life.reaches(server)) {
            life.linksTo(server).breakOff(server);
        }
    }

    /** Lets nothing through between {@code node} and {@code server} for {@code nanos}. */
    public void cut(SimulatedNode node, int server, long nanos) {
        Life life = node.life();
        if (life != null && life.reaches(server)) {
            life.linksTo(server).cut(server, nanos);
        }
    }

    /** Rejects every later request; requests in flight are still decided. */
    public void closeDoors() {
        closed = true;
    }

    private NodeLimiter peer(String region, Map<String, SharedStore> heard, MachineClock clock) {
        RuleIndex own = Objects.requireNonNull(rules.getOrDefault(region, rules.get(ANYWHERE)));
        return switch (settings.kind()) {
            case WEIR -> new WeirNodeLimiter(own, heard, clock, settings.limiter());
            case NAIVE_CHUNKS ->
                new ChunkNodeLimiter(
                        own,
                        heard.values().iterator().next(),
                        clock,
                        settings.limiter().deadlineMicros());
        };
    }

    private void told(Flow flow, int caller, SimulatedNode node, Life life, MutableDecision decision, boolean waited) {
        long charged = life.stores().get(0).chargedMicros();
        watcher.told(
                flow,
                caller,
                node,
                decision,
                charged,
                server -> life.linksTo(server).heardMicros(server),
                waited);
        if (!decision.allowed()) {
            MutableVerdict binding = decision.binding();
            flow.denied(caller, binding == null ? 0 : binding.retryAfterMicros());
        }
    }

    private Waiter waiter() {
        Visit visit = idle.isEmpty() ? new Visit() : idle.pop();
        visit.flow = flow;
        visit.caller = caller;
        visit.node = node;
        visit.life = node == null ? null : node.life();
        return visit;
    }

    /** Forwards the background asks of one life of a node, until the next life starts. */
    private final class Listener {
        private final SimulatedNode node;
        private final MachineClock clock;

        Listener(SimulatedNode node, MachineClock clock) {
            this.node = node;
            this.clock = clock;
        }

        private boolean isCurrent() {
            return listeners.get(node) == this;
        }

        /** Returns the listener for asks over {@code links}. */
        ObservedStore.Ear to(StoreLinks links) {
            return new ObservedStore.Ear() {
                @Override
                public void asked(Check check) {
                    if (isCurrent()) {
                        watcher.asked(node, check, clock.micros());
                    }
                }

                @Override
                public void answered(Check check) {
                    if (isCurrent()) {
                        watcher.answered(node, check, links.chargedMicros());
                    }
                }
            };
        }
    }

    /** A request that waits for its decision. */
    private final class Visit implements Waiter {
        private @Nullable Flow flow;
        private int caller;
        private @Nullable SimulatedNode node;
        private @Nullable Life life;

        @Override
        public Executor home() {
            return AT_ONCE;
        }

        @Override
        public void decided(Request request, MutableDecision decision) {
            if (flow != null && node != null && life != null) {
                told(flow, caller, node, life, decision, true);
            }
            idle.push(this);
        }
    }
}
