package dev.weir.simulation.fleet;

import dev.weir.Request;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.limiter.check.WaiterSupplier;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.ruleset.RuleSet;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.SimulatedNode.Life;
import dev.weir.simulation.store.Link;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.traffic.Destination;
import dev.weir.simulation.traffic.Flow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The nodes that share a store, and the requests that reach them. */
public final class Fleet implements Destination {
    private static final long TICK_NANOS = Limiter.TICK_MILLIS * 1_000_000L;
    private static final Executor AT_ONCE = Runnable::run;

    private final Timeline timeline;
    private final SimulatedStore store;
    private final RuleSet rules;
    private final FleetSettings settings;
    private final SplittableRandom random;
    private final FleetObserver watcher;
    private final PlantedMistakes planted;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Map<SimulatedNode, Listener> listeners = new HashMap<>();
    private final Request request = Request.to("");
    private final MutableDecision decision = new MutableDecision();
    private final ArrayDeque<Visit> idle = new ArrayDeque<>();
    /** The visit in hand, for whoever has to wait. */
    private final WaiterSupplier later = this::waiter;

    private @Nullable Flow flow;
    private int caller;
    private @Nullable SimulatedNode node;

    /** A fleet with the mistakes that are {@code planted} in it. */
    public Fleet(
            Timeline timeline,
            SimulatedStore store,
            RuleSet rules,
            FleetSettings settings,
            SplittableRandom random,
            FleetObserver watcher,
            PlantedMistakes planted) {
        this.timeline = timeline;
        this.store = store;
        this.rules = rules;
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
        if (life == null) {
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

    /** Starts the process of {@code node}, if it does not run. */
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
            Link link = new Link(timeline, node, clock, store, settings.link(), random.split());
            Listener listener = new Listener(node, clock, link);
            listeners.put(node, listener);
            SharedStore heard = planted.stores().apply(new ObservedStore(link, listener));
            Life life = new Life(clock, link, peer(heard, clock));
            node.start(life);
            watcher.started(node);
            timeline.after(random.nextLong(TICK_NANOS), () -> tick(node, life));
        }
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

    /** Ends the process of {@code node} as SIGTERM does: it gives back what it holds and decides nothing more. */
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

    /** Breaks the connection of {@code node}. */
    public void breakOff(SimulatedNode node) {
        Life life = node.life();
        if (life != null) {
            life.link().breakOff();
        }
    }

    /** Lets nothing through between {@code node} and the store for {@code nanos}. */
    public void cut(SimulatedNode node, long nanos) {
        Life life = node.life();
        if (life != null) {
            life.link().cut(nanos);
        }
    }

    private NodeLimiter peer(SharedStore store, MachineClock clock) {
        return switch (settings.kind()) {
            case WEIR -> new WeirNodeLimiter(rules, store, clock, settings.limiter());
            case NAIVE_CHUNKS ->
                new ChunkNodeLimiter(rules, store, clock, settings.limiter().deadlineMicros());
        };
    }

    private void told(Flow flow, int caller, SimulatedNode node, Life life, MutableDecision decision, boolean waited) {
        watcher.told(flow, caller, node, decision, life.link().chargedMicros(), waited);
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

    /** Passes on what a node asks in the background in one of its lives, until the next one begins. */
    private final class Listener implements ObservedStore.Ear {
        private final SimulatedNode node;
        private final MachineClock clock;
        private final Link link;

        Listener(SimulatedNode node, MachineClock clock, Link link) {
            this.node = node;
            this.clock = clock;
            this.link = link;
        }

        private boolean isCurrent() {
            return listeners.get(node) == this;
        }

        @Override
        public void asked(Check check) {
            if (isCurrent()) {
                watcher.asked(node, check, clock.micros());
            }
        }

        @Override
        public void answered(Check check) {
            if (isCurrent()) {
                watcher.answered(node, check, link.chargedMicros());
            }
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
