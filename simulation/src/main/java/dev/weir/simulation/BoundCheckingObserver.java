package dev.weir.simulation;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.Check;
import dev.weir.simulation.fleet.FleetObserver;
import dev.weir.simulation.fleet.SimulatedNode;
import dev.weir.simulation.oracle.BoundChecker;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.traffic.Flow;
import java.util.List;
import java.util.function.IntToLongFunction;

/** Counts a run, and keeps an account of every counter to check its bound. */
final class BoundCheckingObserver implements FleetObserver {
    private final RunTally tally;
    private final BoundChecker ledger;
    private final List<SimulatedStore> servers;
    private boolean counting = true;

    /** Creates the observer of a run with these {@code servers}, in the order of their numbers. */
    BoundCheckingObserver(RunTally tally, BoundChecker ledger, List<SimulatedStore> servers) {
        this.tally = tally;
        this.ledger = ledger;
        this.servers = servers;
    }

    /** Ends the run: later decisions belong to requests that were in flight, and are not counted. */
    void stopCounting() {
        counting = false;
    }

    @Override
    public void told(
            Flow flow,
            int caller,
            SimulatedNode node,
            MutableDecision decision,
            long chargedMicros,
            IntToLongFunction heardMicros,
            boolean waited) {
        if (counting) {
            tally.told(flow, caller, node, decision, chargedMicros, heardMicros, waited);
        }
        IntToLongFunction now = server -> servers.get(server).clock().micros();
        ledger.told(node.number(), decision, heardMicros, now, node.pausedUntil());
    }

    @Override
    public void started(SimulatedNode node) {
        ledger.started(node.number());
    }

    @Override
    public void asked(SimulatedNode node, Check check, long ownMicros) {
        ledger.asked(node.number(), check, ownMicros);
    }

    @Override
    public void answered(SimulatedNode node, Check check, long storeMicros) {
        ledger.answered(node.number(), check, storeMicros);
    }
}
