package dev.weir.simulation;

import dev.weir.internal.model.Rule;
import dev.weir.simulation.clock.MachineClock;
import dev.weir.simulation.clock.Timeline;
import dev.weir.simulation.fleet.Fleet;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.PlantedMistakes;
import dev.weir.simulation.fleet.RegionLayout;
import dev.weir.simulation.oracle.BoundChecker;
import dev.weir.simulation.oracle.Oracle;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.store.HitObserver;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.store.ShardedStore;
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
    /** The time after the last request in which all asks are decided and all give-backs arrive. */
    private static final long SETTLING_NANOS = 1_500_000_000L;

    private final Timeline timeline = new Timeline();
    private final Scenario scenario;
    private final FleetSettings.Kind kind;
    private final @Nullable BoundChecker ledger;
    private final @Nullable BoundCheckingObserver books;
    /** Checks the bound of limits that regions share; null if there are none. */
    private final @Nullable RegionalObserver regional;

    private final List<SimulatedStore> servers = new ArrayList<>();
    private final Fleet fleet;
    private final List<Flow> flows = new ArrayList<>();
    private final RunTally tally;

    /**
     * Creates a run of one compared limiter; with {@code booked} it checks every bound, which takes memory per caller.
     */
    public Simulation(Scenario scenario, Scenario.Run run, boolean booked) {
        this(scenario, run, booked, PlantedMistakes.NONE);
    }

    /** Creates the same run with mistakes that a test has planted. */
    Simulation(Scenario scenario, Scenario.Run run, boolean booked, PlantedMistakes planted) {
        SplittableRandom random = new SplittableRandom(scenario.seed());
        FleetSettings settings = scenario.fleet().of(run.kind());
        this.scenario = scenario;
        this.kind = run.kind();
        long deadline = settings.limiter().deadlineMicros() * 1_000;
        boolean shared = booked && sharesCounts(run);
        this.ledger = booked && !shared
                ? new BoundChecker(timeline, settings.nodes(), scenario.replicaLagNanos(), deadline)
                : null;
        // Traffic is drawn first, so that it is the same for every limiter.
        List<SplittableRandom> draws = new ArrayList<>();
        scenario.traffic().forEach(each -> draws.add(random.split()));
        List<ShardedStore> stores = new ArrayList<>();
        RegionLayout regions = settings.regions();
        for (String each : regions == null ? List.of(Rule.DEFAULT_STORE) : regions.regions()) {
            stores.add(store(each, settings.link(), settings.clockSkewMicros(), random));
        }
        settings.others().forEach((name, link) -> stores.add(store(name, link, settings.clockSkewMicros(), random)));
        this.tally = new RunTally(timeline, new Oracle(), settings.nodes(), scenario.durationNanos(), STEPS);
        this.books = ledger == null ? null : new BoundCheckingObserver(tally, ledger, servers);
        this.regional = shared && regions != null
                ? new RegionalObserver(tally, timeline, settings.nodes(), regions, scenario.faults())
                : null;
        this.fleet = new Fleet(
                timeline,
                stores,
                run.rules(),
                run.byRegion(),
                settings,
                random,
                books != null ? books : regional != null ? regional : tally,
                planted);
        for (int i = 0; i < scenario.traffic().size(); i++) {
            flows.add(new Flow(scenario.traffic().get(i), timeline, draws.get(i), settings.nodes(), fleet));
        }
    }

    private static boolean sharesCounts(Scenario.Run run) {
        return run.byRegion().values().stream()
                .anyMatch(each ->
                        each.rules().stream().anyMatch(rule -> rule.scope().isShared()));
    }

    private ShardedStore store(String name, LinkSettings link, long skew, SplittableRandom random) {
        List<SimulatedStore> own = new ArrayList<>();
        for (int i = 0; i < link.servers(); i++) {
            int number = servers.size();
            MachineClock clock = new MachineClock(timeline, skew == 0 ? 0 : random.nextLong(-skew, skew + 1), 0, 0);
            HitObserver takings = ledger == null ? HitObserver.NONE : ledger.of(number);
            SimulatedStore server = new SimulatedStore(number, timeline, clock, takings);
            server.replica(scenario.replicaLagNanos());
            servers.add(server);
            own.add(server);
        }
        return new ShardedStore(name, link, own);
    }

    private void died(int node) {
        if (ledger != null) {
            ledger.died(node);
        }
    }

    /** Runs to the end; {@code progress} receives values from 0 to 1. */
    public RunResult run(DoubleConsumer progress) {
        flows.forEach(Flow::start);
        new FaultInjector(timeline, fleet, servers, this::died).schedule(scenario.faults());
        long end = scenario.durationNanos();
        for (int i = 1; i <= REPORTS; i++) {
            timeline.runUntil((long) (end * (i / (double) REPORTS)));
            progress.accept(i / (double) REPORTS);
        }
        long kept = flows.stream().mapToLong(Flow::kept).sum();
        long calls = servers.stream().mapToLong(SimulatedStore::calls).sum();
        long checks = servers.stream().mapToLong(SimulatedStore::checks).sum();
        long events = timeline.happened();
        long stranded = ledger == null ? 0 : ledger.stranded();
        settle();
        List<String> violations = ledger != null
                ? ledger.violations()
                : regional != null ? regional.checker().violations() : List.of();
        return new RunResult(end, tally, calls, checks, kept, events, stranded, violations);
    }

    /**
     * Waits for asks in flight, and checks that all unspent hits were given back. Decisions made meanwhile are not
     * counted.
     */
    private void settle() {
        if (ledger != null && books != null) {
            books.stopCounting();
            fleet.closeDoors();
            timeline.runUntil(timeline.now() + SETTLING_NANOS);
            ledger.settled(server -> kind == FleetSettings.Kind.WEIR && scenario.isCalm(server));
        }
    }

    /** Runs to the end. */
    public RunResult run() {
        return run(ignored -> {});
    }
}
