package dev.weir.simulation;

import static dev.weir.simulation.ThreeRegions.MILLI;
import static dev.weir.simulation.ThreeRegions.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.PlantedMistakes;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import dev.weir.simulation.traffic.Placement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Three regions with a global limit, of which nodes die, sleep and are suspended, that are cut off from home, whose home
 * stops or fails over, with clocks that are wrong: whatever happens, the stated bound holds. A failure names its seed;
 * {@code -Dweir.seed=N} runs that one alone, {@code -Dweir.region_seeds=10000} so many.
 */
class ManyRegionsTest {
    private static final int SEEDS = Integer.getInteger("weir.region_seeds", 1_000);
    private static final int MOST_UNTIL_CAUGHT = 300;
    private static final Map<String, Scenario.Run> RUNS = new HashMap<>();
    private static final String[] ALGORITHMS = {
        "fixed_window", "fixed_window", "token_bucket", "gcra", "sliding_window", "sliding_window_log"
    };
    private static final List<Fault.Kind> OF_NODES =
            List.of(Fault.Kind.PAUSE, Fault.Kind.SUSPEND, Fault.Kind.KILL, Fault.Kind.STOP, Fault.Kind.BREAK);

    @Test
    void noSeedBreaksABound() {
        Long only = Long.getLong("weir.seed");
        long admitted = 0;
        long local = 0;
        long degraded = 0;
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SEEDS : only); seed++) {
            Scenario scenario = scenario(seed);
            RunResult result = new Simulation(scenario, scenario.runs().get(0), true).run();
            assertThat(result.violations())
                    .as("seed %d: -Dweir.seed=%d runs it again", seed, seed)
                    .isEmpty();
            admitted += result.tally().admitted();
            local += result.tally().decisions() - result.tally().waited();
            degraded += result.tally().degraded();
        }
        // Else nothing was tried.
        assertThat(admitted).isPositive();
        assertThat(local).isPositive();
        assertThat(degraded).as("of %d seeds", SEEDS).isGreaterThanOrEqualTo(only == null ? 1 : 0);
    }

    @Test
    void aGrantThatIsAppliedTwiceIsCaught() {
        PlantedMistakes twice = PlantedMistakes.inStores(MistakenStore::appliesGrantsTwice);
        long caught = 0;
        for (long seed = 1; caught == 0 && seed <= MOST_UNTIL_CAUGHT; seed++) {
            Scenario scenario = scenario(seed);
            RunResult result = new Simulation(scenario, scenario.runs().get(0), true, twice).run();
            caught = result.violations().isEmpty() ? 0 : seed;
        }
        assertThat(caught).isPositive();
    }

    private static Scenario scenario(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 2);
        int nodes = random.nextInt(1, 4);
        long duration = random.nextLong(3, 9) * SECOND;
        long oneWay = random.nextLong(5, 90) * MILLI;
        LinkSettings near =
                new LinkSettings(new Latency(250_000, random.nextLong(1, 4) * MILLI), 0, 200 * MILLI, 50 * MILLI, 1);
        LimiterSettings limiter =
                LimiterSettings.defaults().withTierCounters(64).withDeadlineMicros(random.nextLong(5_000, 20_000));
        FleetSettings fleet = new FleetSettings(
                        1,
                        FleetSettings.Kind.WEIR,
                        random.nextLong(0, 200_000),
                        random.nextInt(3) == 0 ? 100 : 0,
                        near,
                        limiter)
                .in(ThreeRegions.layout(nodes, oneWay));
        long requests = new long[] {20, 200, 1_000}[random.nextInt(3)];
        String window = new String[] {"1s", "2s", "5s"}[random.nextInt(3)];
        String onFail = random.nextBoolean() ? "deny" : "allow";
        String algorithm = ALGORITHMS[random.nextInt(ALGORITHMS.length)];
        Scenario.Run run = RUNS.computeIfAbsent(
                "{ name: r, key_by: user_id, scope: global, on_fail: " + onFail + ", limit: { requests: " + requests
                        + ", window: " + window + ", algorithm: " + algorithm + " } }",
                rule -> ThreeRegions.run("rules:\n  - " + rule + "\n"));
        List<Integer> each = List.of(nodes, nodes, nodes);
        Placement placement =
                new Placement.Regions(each, List.of(80, 10, 10), List.of(10, 20, 70), random.nextLong(duration));
        double rate = random.nextLong(50, 600);
        ArrivalProcess arrivals = random.nextBoolean()
                ? new ArrivalProcess.Poisson(rate)
                : new ArrivalProcess.OnOff(rate, 5, 300 * MILLI, 1.5);
        FlowSettings traffic = FlowSettings.of("user_id", arrivals, new CallerDistribution.Alike(random.nextInt(1, 4)))
                .placed(placement);
        List<Fault> faults = new ArrayList<>();
        for (int i = random.nextInt(0, 5); i > 0; i--) {
            faults.addAll(fault(random, nodes, duration));
        }
        long lag = random.nextInt(3) > 0 ? 0 : random.nextLong(1, 300) * MILLI;
        return ThreeRegions.scenario(run, fleet, List.of(traffic), faults, duration, lag, seed);
    }

    private static List<Fault> fault(SplittableRandom random, int nodes, long duration) {
        long at = random.nextLong(duration);
        long lasts = random.nextLong(1, 3_000) * MILLI;
        return switch (random.nextInt(4)) {
            case 0 -> ThreeRegions.cutOff(random.nextInt(1, 3), nodes, at, lasts);
            case 1 -> List.of(new Fault(at, Fault.Kind.PAUSE, Fault.STORE, lasts, ThreeRegions.HOME));
            case 2 -> List.of(new Fault(at, Fault.Kind.FAIL_OVER, Fault.STORE, lasts, ThreeRegions.HOME));
            default ->
                List.of(new Fault(at, OF_NODES.get(random.nextInt(OF_NODES.size())), random.nextInt(3 * nodes), lasts));
        };
    }
}
