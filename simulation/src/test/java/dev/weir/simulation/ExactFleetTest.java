package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.match.RuleSet;
import dev.weir.rules.RuleLoader;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.FleetSettings.Kind;
import dev.weir.simulation.scenario.Scenario;
import dev.weir.simulation.traffic.Arrivals;
import dev.weir.simulation.traffic.Callers;
import dev.weir.simulation.traffic.FlowSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A fleet that asks the store for everything is the single limiter, but for the way there. */
class ExactFleetTest {
    private static final long SECOND = 1_000_000_000L;

    private static RuleSet rule(String limit) {
        return RuleLoader.parse("rules.yaml", "rules:\n  - { name: r, key_by: user_id, limit: " + limit + " }\n")
                .orThrow();
    }

    private static FlowSettings customers(double rate, int count) {
        return FlowSettings.of("user_id", new Arrivals.Poisson(rate), new Callers.Alike(count));
    }

    private static Result run(RuleSet rules, FleetSettings fleet, FlowSettings traffic, long seconds, long seed) {
        Scenario scenario = Scenario.of(rules, fleet, List.of(traffic), seconds * SECOND, seed);
        return new Simulation(scenario, new Scenario.Run("run", fleet.kind(), rules), true).run();
    }

    @Test
    void admitsWhatTheSingleLimiterAdmits() {
        RuleSet rules = rule("{ requests: 100, window: 1s, algorithm: fixed_window }");
        Result result = run(rules, FleetSettings.of(10), customers(2_000, 10), 10, 7);
        assertThat(result.tally().decisions()).isBetween(19_000L, 21_000L);
        assertThat(result.tally().oracle().beyond()).isZero();
        assertThat(result.accuracy()).isBetween(0.99, 1.01);
        assertThat(result.falseDenials()).isLessThan(0.001);
        assertThat(result.tally().degraded()).isZero();
        assertThat(result.violations()).isEmpty();
    }

    @Test
    void isTheSameRunForTheSameSeed() {
        RuleSet rules = rule("{ requests: 50, window: 1s }");
        Result first = run(rules, FleetSettings.of(5), customers(500, 3), 5, 1);
        Result again = run(rules, FleetSettings.of(5), customers(500, 3), 5, 1);
        Result other = run(rules, FleetSettings.of(5), customers(500, 3), 5, 2);
        assertThat(again.events()).isEqualTo(first.events());
        assertThat(again.tally().admittedSteps()).isEqualTo(first.tally().admittedSteps());
        assertThat(other.tally().admittedSteps()).isNotEqualTo(first.tally().admittedSteps());
    }

    @Test
    void naiveChunksLeaveHitsBehind() {
        RuleSet rules = rule("{ requests: 10000, window: 1m, algorithm: fixed_window }");
        FleetSettings fleet = FleetSettings.of(200).of(Kind.NAIVE_CHUNKS);
        Result result = run(rules, fleet, customers(333, 1), 120, 7);
        assertThat(result.accuracy()).isBetween(0.80, 0.90);
        assertThat(result.tally().oracle().beyond()).isZero();
    }
}
