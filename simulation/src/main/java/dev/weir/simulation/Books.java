package dev.weir.simulation;

import dev.weir.model.Decision;
import dev.weir.simulation.fleet.Node;
import dev.weir.simulation.fleet.Watcher;
import dev.weir.simulation.oracle.Ledger;
import dev.weir.simulation.store.SharedCounters;
import dev.weir.simulation.traffic.Flow;
import dev.weir.store.Check;

/** Counts a run, and keeps the books of every counter beside. */
final class Books implements Watcher {
    private final Tally tally;
    private final Ledger ledger;
    private final SharedCounters store;

    Books(Tally tally, Ledger ledger, SharedCounters store) {
        this.tally = tally;
        this.ledger = ledger;
        this.store = store;
    }

    @Override
    public void told(Flow flow, int caller, Node node, Decision decision, long chargedMicros, boolean waited) {
        tally.told(flow, caller, node, decision, chargedMicros, waited);
        ledger.told(node.number(), decision, chargedMicros, store.clock().micros(), node.pausedUntil());
    }

    @Override
    public void started(Node node) {
        ledger.started(node.number());
    }

    @Override
    public void asked(Node node, Check check, long ownMicros) {
        ledger.asked(node.number(), check, ownMicros);
    }

    @Override
    public void answered(Node node, Check check, long storeMicros) {
        ledger.answered(node.number(), check, storeMicros);
    }
}
