package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.simulation.clock.MachineClock;
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
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes on machines that are suspended in one window and resumed in a later one: their monotonic clock stood still,
 * while their wall clock and the store went on.
 */
class SuspendedMachineTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final int NODES = 4;

    /** How many seeds are tried, each with suspends of its own. */
    private static final int SEEDS = 200;

    /** Four seconds in which each node is suspended a few times, and callers want half as much again as the limit. */
    private static RunResult run(String algorithm, long seed, PlantedMistakes planted) {
        WrittenRules rules =
                RuleLoader.parse("rules.yaml", """
                rules:
                  - name: r
                    key_by: user_id
                    consistency: leased
                    limit: { requests: 500, window: 1s, algorithm: %s }
                """.formatted(algorithm)).orThrow();
        FlowSettings traffic =
                FlowSettings.of("user_id", new ArrivalProcess.Poisson(750), new CallerDistribution.Alike(1));
        SplittableRandom random = new SplittableRandom(seed);
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < 3 * NODES; i++) {
            long at = random.nextLong(3_500) * MILLI;
            faults.add(new Fault(at, Fault.Kind.SUSPEND, i % NODES, random.nextLong(1, 1_500) * MILLI));
        }
        Scenario scenario = Scenario.of(rules, FleetSettings.of(NODES), List.of(traffic), 4 * SECOND, seed)
                .with(faults, 0);
        return new Simulation(scenario, scenario.runs().get(0), true, planted).run();
    }

    @Test
    void notOneHitPassesOverTheLimitOfAFixedWindow() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            RunResult result = run("fixed_window", seed, PlantedMistakes.NONE);
            assertThat(result.violations()).as("seed %d", seed).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"token_bucket", "gcra", "sliding_window", "sliding_window, sub_windows: 5", "sliding_window_log"
            })
    void otherAlgorithmsKeepTheirBound(String algorithm) {
        for (long seed = 1; seed <= SEEDS / 5; seed++) {
            RunResult result = run(algorithm, seed, PlantedMistakes.NONE);
            assertThat(result.violations()).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void aNodeThatLooksAtItsMonotonicClockAloneIsCaught() {
        assertThat(isCaught(PlantedMistakes.inClocks(MachineClock::withoutWall)))
                .isTrue();
    }

    private static boolean isCaught(PlantedMistakes planted) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            if (!run("fixed_window", seed, planted).violations().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Limits in two stores, of which the second often denies: the first gets its hits back, after a suspend or not. */
    private static RunResult runOverStores(long seed, PlantedMistakes planted) {
        WrittenRules rules = RuleLoader.parse("rules.yaml", """
                rules:
                  - { name: each, key_by: user_id, limit: { requests: 8, window: 300ms, algorithm: fixed_window } }
                  - { name: all, key_by: fleet, store: big, limit: { requests: 90, window: 300ms } }
                """).orThrow();
        LinkSettings link = new LinkSettings(new Latency(3 * MILLI, 6 * MILLI), 0, 0, 0, 16);
        FleetSettings fleet = new FleetSettings(
                NODES,
                FleetSettings.Kind.WEIR,
                0,
                0,
                link,
                LimiterSettings.defaults().withDeadlineMicros(50_000),
                Map.of("big", link));
        FlowSettings traffic = new FlowSettings(
                "c",
                "default",
                "user_id",
                Map.of("fleet", "f"),
                1,
                new ArrivalProcess.Poisson(1_500),
                new CallerDistribution.Alike(40),
                new Placement.Spread(),
                false);
        SplittableRandom random = new SplittableRandom(seed);
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < 10 * NODES; i++) {
            long at = random.nextLong(2_000) * MILLI;
            faults.add(new Fault(at, Fault.Kind.SUSPEND, i % NODES, random.nextLong(20, 150) * MILLI));
        }
        Scenario scenario =
                Scenario.of(rules, fleet, List.of(traffic), 2 * SECOND, seed).with(faults, 0);
        return new Simulation(scenario, scenario.runs().get(0), true, planted).run();
    }

    @Test
    void noWindowGetsBackHitsThatASuspendedNodeTookFromTheOneBefore() {
        for (long seed = 1; seed <= SEEDS / 5; seed++) {
            assertThat(runOverStores(seed, PlantedMistakes.NONE).violations())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void aGiveBackThatDoesNotNameItsWindowIsCaught() {
        PlantedMistakes planted = PlantedMistakes.inStores(MistakenStore::namesNoWindow);
        boolean caught = false;
        for (long seed = 1; seed <= SEEDS / 5 && !caught; seed++) {
            caught = !runOverStores(seed, planted).violations().isEmpty();
        }
        assertThat(caught).isTrue();
    }
}
