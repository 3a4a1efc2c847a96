package dev.weir.simulation;

import dev.weir.match.RuleSet;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.Fleet;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.oracle.Oracle;
import dev.weir.simulation.store.SharedCounters;
import dev.weir.simulation.store.Takings;
import dev.weir.simulation.traffic.Flow;
import dev.weir.simulation.traffic.FlowSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;

/** One run: a fleet, its traffic and an oracle on one timeline, all drawn from one seed. */
public final class Simulation {
    private static final int STEPS = 240;
    private static final int REPORTS = 200;
    private static final Takings UNWATCHED = new Takings() {
        @Override
        public void took(int node, long key0, long hits) {}

        @Override
        public void forgot(long moment) {}
    };

    private final Timeline timeline = new Timeline();
    private final long durationNanos;
    private final SharedCounters store;
    private final Fleet fleet;
    private final List<Flow> flows = new ArrayList<>();
    private final Tally tally;

    public Simulation(
            RuleSet rules, FleetSettings settings, List<FlowSettings> traffic, long durationNanos, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        this.durationNanos = durationNanos;
        this.store = new SharedCounters(timeline, MachineClock.exact(timeline), UNWATCHED);
        this.tally = new Tally(timeline, new Oracle(), settings.nodes(), durationNanos, STEPS);
        // Traffic first: it is the same whatever runs on the nodes.
        List<SplittableRandom> draws = new ArrayList<>();
        traffic.forEach(each -> draws.add(random.split()));
        this.fleet = new Fleet(timeline, store, rules, settings, random, tally);
        for (int i = 0; i < traffic.size(); i++) {
            flows.add(new Flow(traffic.get(i), timeline, draws.get(i), settings.nodes(), fleet));
        }
    }

    /** Runs to the end, and tells from time to time how far it is, 0 to 1. */
    public Result run(DoubleConsumer progress) {
        flows.forEach(Flow::start);
        for (int i = 1; i <= REPORTS; i++) {
            timeline.runUntil((long) (durationNanos * (i / (double) REPORTS)));
            progress.accept(i / (double) REPORTS);
        }
        return new Result(durationNanos, tally, store.calls(), store.checks(), timeline.happened());
    }

    /** Runs to the end. */
    public Result run() {
        return run(ignored -> {});
    }
}
