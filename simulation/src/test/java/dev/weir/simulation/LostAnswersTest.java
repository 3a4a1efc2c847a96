package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.PlantedMistakes;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases whose answers come late or never, again and again: the store has granted them, and no node has heard of it. */
class LostAnswersTest {
    private static final long MILLI = 1_000_000;
    private static final int NODES = 4;

    /** Most of a window of ten seconds, in which each node cannot hear the store about once in 200 ms. */
    private static RunResult run(String algorithm, Fault.Kind kind, long seed, PlantedMistakes planted) {
        WrittenRules rules =
                RuleLoader.parse("rules.yaml", """
                rules:
                  - name: r
                    key_by: user_id
                    consistency: leased
                    on_fail: deny
                    limit: { requests: 4000, window: 10s, algorithm: %s }
                """.formatted(algorithm)).orThrow();
        FlowSettings traffic =
                FlowSettings.of("user_id", new ArrivalProcess.Poisson(600), new CallerDistribution.Alike(1));
        SplittableRandom random = new SplittableRandom(seed);
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < 45 * NODES; i++) {
            faults.add(new Fault(random.nextLong(9_000) * MILLI, kind, i % NODES, random.nextLong(20, 80) * MILLI));
        }
        Scenario scenario = Scenario.of(rules, FleetSettings.of(NODES), List.of(traffic), 9_900 * MILLI, seed)
                .with(faults, 0);
        return new Simulation(scenario, scenario.runs().get(0), true, planted).run();
    }

    @Test
    void aLostGrantIsGivenAgainInsteadOfAnother() {
        long lost = 0;
        long lostWithoutNumbers = 0;
        for (long seed = 1; seed <= 20; seed++) {
            Fault.Kind kind = seed % 2 == 0 ? Fault.Kind.CUT : Fault.Kind.BREAK;
            RunResult result = run("fixed_window", kind, seed, PlantedMistakes.NONE);
            assertThat(result.violations()).as("seed %d", seed).isEmpty();
            lost += result.stranded();
            PlantedMistakes planted = PlantedMistakes.inStores(MistakenStore::numbersNoGrant);
            lostWithoutNumbers += run("fixed_window", kind, seed, planted).stranded();
        }
        assertThat(lost * 4).isLessThan(lostWithoutNumbers);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"token_bucket", "gcra", "sliding_window", "sliding_window, sub_windows: 5", "sliding_window_log"
            })
    void nothingIsGrantedTwice(String algorithm) {
        for (long seed = 1; seed <= 10; seed++) {
            Fault.Kind kind = seed % 2 == 0 ? Fault.Kind.CUT : Fault.Kind.BREAK;
            assertThat(run(algorithm, kind, seed, PlantedMistakes.NONE).violations())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }
}
