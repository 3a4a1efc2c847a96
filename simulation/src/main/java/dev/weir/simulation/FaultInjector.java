package dev.weir.simulation;

import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.Fleet;
import dev.weir.simulation.fleet.SimulatedNode;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.store.SimulatedStore;
import java.util.List;
import java.util.function.IntConsumer;

/** Injects the faults of a scenario. */
final class FaultInjector {
    private final Timeline timeline;
    private final Fleet fleet;
    private final List<SimulatedStore> servers;
    private final IntConsumer died;

    /** Creates an injector; {@code died} receives the number of each node whose process ends. */
    FaultInjector(Timeline timeline, Fleet fleet, List<SimulatedStore> servers, IntConsumer died) {
        this.timeline = timeline;
        this.fleet = fleet;
        this.servers = servers;
        this.died = died;
    }

    void schedule(List<Fault> faults) {
        faults.forEach(each -> timeline.at(each.atNanos(), () -> strike(each)));
    }

    private void strike(Fault fault) {
        if (fault.node() == Fault.STORE) {
            SimulatedStore store = servers.get(fault.server());
            if (fault.kind() == Fault.Kind.FAIL_OVER) {
                store.failOver(fault.forNanos(), store.clock());
            } else {
                store.pause(fault.forNanos());
            }
            return;
        }
        SimulatedNode node = fleet.nodes().get(fault.node());
        switch (fault.kind()) {
            case PAUSE -> fleet.pause(node, fault.forNanos());
            case SUSPEND -> fleet.suspend(node, fault.forNanos());
            case CUT -> hit(fault, server -> fleet.cut(node, server, fault.forNanos()));
            case BREAK -> hit(fault, server -> fleet.breakOff(node, server));
            case KILL -> {
                fleet.kill(node);
                died.accept(node.number());
                timeline.after(fault.forNanos(), () -> fleet.start(node));
            }
            case STOP -> {
                fleet.stop(node);
                timeline.after(fault.forNanos(), () -> fleet.start(node));
            }
            case FAIL_OVER -> throw new IllegalStateException("fail_over of a node");
        }
    }

    /** Does {@code harm} to the way to the server of {@code fault}, or to each. */
    private void hit(Fault fault, IntConsumer harm) {
        for (SimulatedStore each : servers) {
            if (fault.server() == Fault.EVERY || fault.server() == each.number()) {
                harm.accept(each.number());
            }
        }
    }
}
