package dev.weir.simulation;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.Check;
import dev.weir.simulation.fleet.FleetObserver;
import dev.weir.simulation.fleet.SimulatedNode;
import dev.weir.simulation.oracle.BoundChecker;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.traffic.Flow;

/** Counts a run, and keeps an account of every counter to check its bound. */
final class BoundCheckingObserver implements FleetObserver {
    private final RunTally tally;
    private final BoundChecker ledger;
    private final SimulatedStore store;

    BoundCheckingObserver(RunTally tally, BoundChecker ledger, SimulatedStore store) {
        this.tally = tally;
        this.ledger = ledger;
        this.store = store;
    }

    @Override
    public void told(
            Flow flow, int caller, SimulatedNode node, MutableDecision decision, long chargedMicros, boolean waited) {
        tally.told(flow, caller, node, decision, chargedMicros, waited);
        ledger.told(node.number(), decision, chargedMicros, store.clock().micros(), node.pausedUntil());
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
