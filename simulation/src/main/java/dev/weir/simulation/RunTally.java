package dev.weir.simulation;

import dev.weir.internal.model.MutableDecision;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.FleetObserver;
import dev.weir.simulation.fleet.SimulatedNode;
import dev.weir.simulation.oracle.Oracle;
import dev.weir.simulation.traffic.Flow;
import java.util.function.IntToLongFunction;

/** Counts a run: sums and their growth over time, in total and for each node. */
public final class RunTally implements FleetObserver {
    private final Timeline timeline;
    private final Oracle oracle;
    private final long stepNanos;
    private final long[] offered;
    private final long[] admitted;
    private final long[] ideal;
    private final long[] nodeAdmitted;
    private final long[] nodeIdeal;
    private final int[][] nodeSteps;

    private long decisions;
    private long passed;
    private long degraded;
    private long degradedPassed;
    private long waited;

    RunTally(Timeline timeline, Oracle oracle, int nodes, long durationNanos, int steps) {
        this.timeline = timeline;
        this.oracle = oracle;
        this.stepNanos = Math.max(1, (durationNanos + steps - 1) / steps);
        this.offered = new long[steps];
        this.admitted = new long[steps];
        this.ideal = new long[steps];
        this.nodeAdmitted = new long[nodes];
        this.nodeIdeal = new long[nodes];
        this.nodeSteps = new int[nodes][steps];
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
        int step = (int) Math.min(offered.length - 1, timeline.now() / stepNanos);
        decisions++;
        offered[step]++;
        this.waited += waited ? 1 : 0;
        boolean isDegraded = decision.degraded();
        degraded += isDegraded ? 1 : 0;
        if (decision.allowed()) {
            passed++;
            degradedPassed += isDegraded ? 1 : 0;
            admitted[step]++;
            nodeAdmitted[node.number()]++;
            nodeSteps[node.number()][step]++;
        }
        if (oracle.told(decision, chargedMicros)) {
            ideal[step]++;
            nodeIdeal[node.number()]++;
        }
    }

    public Oracle oracle() {
        return oracle;
    }

    /** The length of a step of the series below. */
    public long stepNanos() {
        return stepNanos;
    }

    public long decisions() {
        return decisions;
    }

    public long admitted() {
        return passed;
    }

    /** Decisions that a failure policy made. */
    public long degraded() {
        return degraded;
    }

    /** Requests that a failure policy admitted. */
    public long degradedAdmitted() {
        return degradedPassed;
    }

    /** Decisions that had to wait for the store. */
    public long waited() {
        return waited;
    }

    /** Requests by step. */
    public long[] offeredSteps() {
        return offered.clone();
    }

    /** Admitted requests by step. */
    public long[] admittedSteps() {
        return admitted.clone();
    }

    /** By step, the requests that a single limiter would have admitted. */
    public long[] idealSteps() {
        return ideal.clone();
    }

    /** Admitted requests of {@code node} by step. */
    public int[] nodeSteps(int node) {
        return nodeSteps[node].clone();
    }

    public int nodes() {
        return nodeAdmitted.length;
    }

    /**
     * Jain's fairness index of the nodes: (sum of x)^2 / (n sum of x^2), where x is the ratio of requests that a node
     * admitted to those that a single limiter would have admitted there; 1 if all nodes are alike.
     */
    public double fairness() {
        double sum = 0;
        double squares = 0;
        int busy = 0;
        for (int i = 0; i < nodeIdeal.length; i++) {
            if (nodeIdeal[i] > 0) {
                double share = (double) nodeAdmitted[i] / nodeIdeal[i];
                sum += share;
                squares += share * share;
                busy++;
            }
        }
        return squares == 0 ? 1 : sum * sum / (busy * squares);
    }
}
