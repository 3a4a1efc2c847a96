package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.rules.internal.load.RuleLoader;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.FleetSettings.Kind;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.store.Latency;
import dev.weir.simulation.store.LinkSettings;
import dev.weir.simulation.traffic.ArrivalProcess;
import dev.weir.simulation.traffic.CallerDistribution;
import dev.weir.simulation.traffic.FlowSettings;
import dev.weir.simulation.traffic.Placement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A fleet that asks the store for everything is the single limiter, but for the way there. */
class ExactFleetTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000;

    private static WrittenRules rule(String limit) {
        return RuleLoader.parse("rules.yaml", "rules:\n  - { name: r, key_by: user_id, limit: " + limit + " }\n")
                .orThrow();
    }

    private static FlowSettings customers(double rate, int count) {
        return FlowSettings.of("user_id", new ArrivalProcess.Poisson(rate), new CallerDistribution.Alike(count));
    }

    private static RunResult run(
            WrittenRules rules, FleetSettings fleet, FlowSettings traffic, long seconds, long seed) {
        Scenario scenario = Scenario.of(rules, fleet, List.of(traffic), seconds * SECOND, seed);
        return new Simulation(scenario, new Scenario.Run("run", fleet.kind(), rules), true).run();
    }

    @Test
    void admitsWhatTheSingleLimiterAdmits() {
        WrittenRules rules = rule("{ requests: 100, window: 1s, algorithm: fixed_window }");
        RunResult result = run(rules, FleetSettings.of(10), customers(2_000, 10), 10, 7);
        assertThat(result.tally().decisions()).isBetween(19_000L, 21_000L);
        assertThat(result.tally().oracle().beyond()).isZero();
        assertThat(result.accuracy()).isBetween(0.99, 1.01);
        assertThat(result.falseDenials()).isLessThan(0.001);
        assertThat(result.tally().degraded()).isZero();
        assertThat(result.violations()).isEmpty();
    }

    /** Bursts around the ends of windows: what one slot has taken and another one denies is under way back when the next one begins. */
    @Test
    void noWindowGetsBackWhatWasTakenFromTheOneBefore() {
        WrittenRules rules = RuleLoader.parse("rules.yaml", """
                rules:
                  - { name: all, key_by: fleet, limit: { requests: 60, window: 100ms, algorithm: fixed_window } }
                  - { name: each, key_by: user_id, limit: { requests: 1, window: 150ms } }
                """).orThrow();
        LinkSettings link = new LinkSettings(new Latency(MILLI / 2, MILLI), 0, 0, 0, 16);
        FleetSettings fleet = new FleetSettings(5, Kind.WEIR, 0, 0, link, LimiterSettings.defaults());
        FlowSettings bursts = new FlowSettings(
                "c",
                "default",
                "user_id",
                Map.of("fleet", "f"),
                1,
                new ArrivalProcess.WindowEdge(4_000, 100 * MILLI, 5 * MILLI),
                new CallerDistribution.Alike(400),
                new Placement.Spread(),
                false);
        RunResult result = run(rules, fleet, bursts, 10, 7);
        assertThat(result.tally().degraded()).isZero();
        assertThat(result.violations()).isEmpty();
    }

    @Test
    void isTheSameRunForTheSameSeed() {
        WrittenRules rules = rule("{ requests: 50, window: 1s }");
        RunResult first = run(rules, FleetSettings.of(5), customers(500, 3), 5, 1);
        RunResult again = run(rules, FleetSettings.of(5), customers(500, 3), 5, 1);
        RunResult other = run(rules, FleetSettings.of(5), customers(500, 3), 5, 2);
        assertThat(again.events()).isEqualTo(first.events());
        assertThat(again.tally().admittedSteps()).isEqualTo(first.tally().admittedSteps());
        assertThat(other.tally().admittedSteps()).isNotEqualTo(first.tally().admittedSteps());
    }

    @Test
    void naiveChunksLeaveHitsBehind() {
        WrittenRules rules = rule("{ requests: 10000, window: 1m, algorithm: fixed_window }");
        FleetSettings fleet = FleetSettings.of(200).of(Kind.NAIVE_CHUNKS);
        RunResult result = run(rules, fleet, customers(333, 1), 120, 7);
        assertThat(result.accuracy()).isBetween(0.80, 0.90);
        assertThat(result.tally().oracle().beyond()).isZero();
    }
}
