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
import java.util.List;
import org.junit.jupiter.api.Test;

/** Injected faults are visible, and cost no more than they must. */
class FaultInjectorTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final WrittenRules RULES = RuleLoader.parse(
                    "rules.yaml",
                    "rules:\n  - { name: r, key_by: user_id, consistency: leased, limit: { requests: 2000, window: 10s, algorithm: fixed_window } }\n")
            .orThrow();

    private static RunResult run(Fault... faults) {
        FlowSettings traffic =
                FlowSettings.of("user_id", new ArrivalProcess.Poisson(400), new CallerDistribution.Alike(1));
        Scenario scenario = Scenario.of(RULES, FleetSettings.of(4), List.of(traffic), 10 * SECOND, 3)
                .with(List.of(faults), 50 * MILLI);
        return new Simulation(scenario, scenario.runs().get(0), true).run();
    }

    @Test
    void withoutFaultsAllOfTheLimitIsUsed() {
        RunResult result = run();
        assertThat(result.tally().admitted()).isEqualTo(2_000);
        assertThat(result.tally().degraded()).isZero();
        assertThat(result.violations()).isEmpty();
    }

    @Test
    void aStoreThatStopsDegradesAndWhatRanLateIsNotCharged() {
        RunResult result = run(new Fault(SECOND, Fault.Kind.PAUSE, Fault.STORE, SECOND));
        assertThat(result.tally().degraded()).isPositive();
        assertThat(result.violations()).isEmpty();
        long inside = result.tally().admitted() - result.tally().degradedAdmitted();
        // All of the limit but for rounds that the store had taken when it stopped, and whose answers came too late.
        assertThat(inside).isBetween(1_950L, 2_000L);
    }

    @Test
    void whatADeadNodeHeldIsSpentAndWhatAStoppedOneHeldIsBack() {
        RunResult stopped = run(new Fault(2 * SECOND, Fault.Kind.STOP, 1, SECOND));
        RunResult killed = run(new Fault(2 * SECOND, Fault.Kind.KILL, 1, SECOND));
        assertThat(stopped.tally().admitted()).isEqualTo(2_000);
        assertThat(killed.tally().admitted()).isLessThan(2_000).isGreaterThan(1_900);
        assertThat(killed.violations()).isEmpty();
    }

    @Test
    void whatAFailoverForgotIsAllThatPassesBeyondTheLimit() {
        RunResult result = run(new Fault(2 * SECOND, Fault.Kind.FAIL_OVER, Fault.STORE, 20 * MILLI));
        long inside = result.tally().admitted() - result.tally().degradedAdmitted();
        assertThat(inside).isGreaterThan(2_000).isLessThan(2_300);
        assertThat(result.violations()).isEmpty();
    }

    @Test
    void aNodeThatWasStoppedSpendsNothingThatExpired() {
        RunResult result = run(
                new Fault(9 * SECOND, Fault.Kind.PAUSE, 0, SECOND), new Fault(SECOND, Fault.Kind.PAUSE, 2, 3 * SECOND));
        assertThat(result.violations()).isEmpty();
        assertThat(result.tally().oracle().beyond()).isZero();
    }
}
