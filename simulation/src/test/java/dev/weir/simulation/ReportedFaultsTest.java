package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.scenario.Fault;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Four nodes that report: what goes wrong is told late or not at all, and nobody pays for it later. */
class ReportedFaultsTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final int NODES = 4;
    /** An interval, a tick and a deadline, seconds. */
    private static final double BLIND = 0.26;

    private static RunResult run(String limit, double rate, long seconds, List<Fault> faults) {
        WrittenRules rules = RuleLoader.parse(
                        "rules.yaml",
                        "rules:\n  - { name: r, key_by: user_id, consistency: reported, limit: " + limit + " }\n")
                .orThrow();
        FlowSettings traffic =
                FlowSettings.of("user_id", new ArrivalProcess.Steady(rate), new CallerDistribution.Alike(1));
        Scenario scenario = Scenario.of(rules, FleetSettings.of(NODES), List.of(traffic), seconds * SECOND, 3)
                .with(faults, 50 * MILLI);
        RunResult result = new Simulation(scenario, scenario.runs().get(0), true).run();
        assertThat(result.violations()).isEmpty();
        assertThat(result.tally().waited()).isZero();
        return result;
    }

    private static long admitted(RunResult result, long fromSecond, long untilSecond) {
        long step = result.tally().stepNanos();
        long[] steps = result.tally().admittedSteps();
        return Arrays.stream(steps, (int) (fromSecond * SECOND / step), (int) (untilSecond * SECOND / step))
                .sum();
    }

    @Test
    void withoutFaultsTheLimitIsUsedAndPassedByNoMoreThanPassesBlind() {
        RunResult window = run("{ requests: 2000, window: 10s, algorithm: fixed_window }", 400, 10, List.of());
        assertThat(window.tally().admitted()).isBetween(2_000L, (long) (2_000 + 400 * BLIND));
        RunResult bucket = run("{ requests: 1000, window: 10s }", 400, 60, List.of());
        assertThat(bucket.tally().admitted()).isBetween(7_000L * 98 / 100, (long) (7_000 + 400 * BLIND));
    }

    @Test
    void callsOfTheStoreAreThoseOfTheNodesInTheirIntervals() {
        RunResult result = run("{ requests: 1000, window: 10s }", 2_000, 60, List.of());
        assertThat(result.storeCalls()).isBetween(NODES * 60 * 3L, NODES * 60 * 5L);
    }

    @Test
    void whatAStoppedStoreWasNotToldIsNotChargedToTheNextWindow() {
        RunResult result = run(
                "{ requests: 4000, window: 10s, algorithm: fixed_window }",
                390,
                20,
                List.of(new Fault(8 * SECOND, Fault.Kind.PAUSE, Fault.STORE, 3 * SECOND)));
        assertThat(result.tally().admitted()).isEqualTo(result.tally().decisions());
    }

    /** Each report that timed out is told again; were it owed as well, callers would be denied for as long as the store was away, for each node. */
    @Test
    void aStoreThatWasAwayLocksNobodyOutWhenItIsBack() {
        RunResult result = run(
                "{ requests: 1000, window: 10s }",
                400,
                60,
                List.of(new Fault(15 * SECOND, Fault.Kind.PAUSE, Fault.STORE, 15 * SECOND)));
        assertThat(admitted(result, 32, 60)).isGreaterThan(28 * 100 * 95 / 100);
    }

    @Test
    void lostAnswersCostCallersWithinTheirLimitNothing() {
        List<Fault> cuts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            cuts.add(new Fault((5 + i) * SECOND, Fault.Kind.CUT, i % NODES, 300 * MILLI));
        }
        RunResult result = run("{ requests: 1000, window: 10s }", 80, 60, cuts);
        assertThat(result.tally().admitted()).isEqualTo(result.tally().decisions());
    }

    @Test
    void aKilledNodeTakesNoMoreWithItThanPassedBlind() {
        RunResult killed = run(
                "{ requests: 2000, window: 10s, algorithm: fixed_window }",
                400,
                10,
                List.of(new Fault(2 * SECOND, Fault.Kind.KILL, 1, SECOND)));
        assertThat(killed.tally().admitted()).isBetween(2_000L, (long) (2_000 + 400 * BLIND + 400.0 / NODES * BLIND));
        RunResult stopped = run(
                "{ requests: 2000, window: 10s, algorithm: fixed_window }",
                400,
                4,
                List.of(new Fault(2 * SECOND, Fault.Kind.STOP, 1, SECOND)));
        assertThat(stopped.tally().admitted()).isEqualTo(stopped.tally().decisions());
    }
}
