package dev.weir.simulation;

import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.Fleet;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.PlantedMistakes;
import dev.weir.simulation.oracle.BoundChecker;
import dev.weir.simulation.oracle.Oracle;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.SimulatedStore;
import dev.weir.simulation.traffic.Flow;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** One run: a fleet, its traffic and an oracle on one timeline, all drawn from one seed. */
public final class Simulation {
    private static final int STEPS = 240;
    private static final int REPORTS = 200;
    private static final HitObserver UNWATCHED = new HitObserver() {
        @Override
        public void storeShows(long micros) {}

        @Override
        public void took(int node, long key0, long hits) {}

        @Override
        public void forgot(long moment) {}
    };

    private final Timeline timeline = new Timeline();
    private final Scenario scenario;
    private final @Nullable BoundChecker ledger;
    private final SimulatedStore store;
    private final Fleet fleet;
    private final List<Flow> flows = new ArrayList<>();
    private final RunTally tally;

    /**
     * Creates one run of the comparison. With {@code books}, every bound is checked, which takes memory for each
     * caller.
     */
    public Simulation(Scenario scenario, Scenario.Run run, boolean books) {
        this(scenario, run, books, PlantedMistakes.NONE);
    }

    /** The same with mistakes that a test has planted. */
    Simulation(Scenario scenario, Scenario.Run run, boolean books, PlantedMistakes planted) {
        SplittableRandom random = new SplittableRandom(scenario.seed());
        FleetSettings settings = scenario.fleet().of(run.kind());
        this.scenario = scenario;
        long deadline = settings.limiter().deadlineMicros() * 1_000;
        this.ledger = books ? new BoundChecker(timeline, settings.nodes(), scenario.replicaLagNanos(), deadline) : null;
        // Traffic is drawn first, so that it is the same whatever runs on the nodes.
        List<SplittableRandom> draws = new ArrayList<>();
        scenario.traffic().forEach(each -> draws.add(random.split()));
        long skew = settings.clockSkewMicros();
        MachineClock clock = new MachineClock(timeline, skew == 0 ? 0 : random.nextLong(-skew, skew + 1), 0, 0);
        this.store = new SimulatedStore(timeline, clock, ledger == null ? UNWATCHED : ledger);
        this.store.replica(scenario.replicaLagNanos());
        this.tally = new RunTally(timeline, new Oracle(), settings.nodes(), scenario.durationNanos(), STEPS);
        this.fleet = new Fleet(
                timeline,
                store,
                run.rules(),
                settings,
                random,
                ledger == null ? tally : new BoundCheckingObserver(tally, ledger, store),
                planted);
        for (int i = 0; i < scenario.traffic().size(); i++) {
            flows.add(new Flow(scenario.traffic().get(i), timeline, draws.get(i), settings.nodes(), fleet));
        }
    }

    private void died(int node) {
        if (ledger != null) {
            ledger.died(node);
        }
    }

    /** Runs to the end, and reports its progress, 0 to 1, from time to time. */
    public RunResult run(DoubleConsumer progress) {
        flows.forEach(Flow::start);
        new FaultInjector(timeline, fleet, store, this::died).schedule(scenario.faults());
        long end = scenario.durationNanos();
        for (int i = 1; i <= REPORTS; i++) {
            timeline.runUntil((long) (end * (i / (double) REPORTS)));
            progress.accept(i / (double) REPORTS);
        }
        long kept = flows.stream().mapToLong(Flow::kept).sum();
        return new RunResult(
                end,
                tally,
                store.calls(),
                store.checks(),
                kept,
                timeline.happened(),
                ledger == null ? 0 : ledger.stranded(),
                ledger == null ? List.of() : ledger.violations());
    }

    /** Runs to the end. */
    public RunResult run() {
        return run(ignored -> {});
    }
}
