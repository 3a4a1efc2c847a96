package dev.weir.simulation;

import dev.weir.internal.model.MutableDecision;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.FleetObserver;
import dev.weir.simulation.fleet.RegionLayout;
import dev.weir.simulation.fleet.SimulatedNode;
import dev.weir.simulation.oracle.RegionalBoundChecker;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.traffic.Flow;
import java.util.List;
import java.util.function.IntToLongFunction;

/** Counts a run of limits that regions share, and keeps an account of every counter to check its bound. */
final class RegionalObserver implements FleetObserver {
    /** The longest round trip, in latencies that one in a hundred messages exceeds. */
    private static final int ROUND_TRIP = 3;

    private final RunTally tally;
    private final Timeline timeline;
    private final RegionalBoundChecker checker;

    /** Creates the observer of a run with nodes in {@code regions} and these {@code faults}. */
    RegionalObserver(RunTally tally, Timeline timeline, int nodes, RegionLayout regions, List<Fault> faults) {
        this.tally = tally;
        this.timeline = timeline;
        this.checker = new RegionalBoundChecker(
                nodes,
                regions.regions().size(),
                2 * ROUND_TRIP * regions.far().latency().p99Nanos());
        for (Fault each : faults) {
            boolean stops = each.kind() == Fault.Kind.PAUSE || each.kind() == Fault.Kind.SUSPEND;
            checker.fault(each.atNanos(), each.atNanos() + each.forNanos(), stops && each.node() != Fault.STORE);
        }
    }

    RegionalBoundChecker checker() {
        return checker;
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
        tally.told(flow, caller, node, decision, chargedMicros, heardMicros, waited);
        checker.told(node.number(), decision, chargedMicros, timeline.now());
    }

    @Override
    public void started(SimulatedNode node) {
        checker.started(node.number(), timeline.now());
    }
}
