package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.match.RuleSet;
import dev.weir.rules.RuleLoader;
import dev.weir.simulation.fleet.FleetSettings;
import dev.weir.simulation.fleet.FleetSettings.Kind;
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

    @Test
    void admitsWhatTheSingleLimiterAdmits() {
        RuleSet rules = rule("{ requests: 100, window: 1s, algorithm: fixed_window }");
        Result result =
                new Simulation(rules, FleetSettings.of(10), List.of(customers(2_000, 10)), 10 * SECOND, 7).run();
        assertThat(result.tally().decisions()).isBetween(19_000L, 21_000L);
        assertThat(result.tally().oracle().beyond()).isZero();
        assertThat(result.accuracy()).isBetween(0.99, 1.01);
        assertThat(result.falseDenials()).isLessThan(0.001);
        assertThat(result.tally().degraded()).isZero();
    }

    @Test
    void isTheSameRunForTheSameSeed() {
        RuleSet rules = rule("{ requests: 50, window: 1s }");
        Result first = new Simulation(rules, FleetSettings.of(5), List.of(customers(500, 3)), 5 * SECOND, 1).run();
        Result again = new Simulation(rules, FleetSettings.of(5), List.of(customers(500, 3)), 5 * SECOND, 1).run();
        Result other = new Simulation(rules, FleetSettings.of(5), List.of(customers(500, 3)), 5 * SECOND, 2).run();
        assertThat(again.events()).isEqualTo(first.events());
        assertThat(again.tally().admittedSteps()).isEqualTo(first.tally().admittedSteps());
        assertThat(other.tally().admittedSteps()).isNotEqualTo(first.tally().admittedSteps());
    }

    @Test
    void naiveChunksLeaveHitsBehind() {
        RuleSet rules = rule("{ requests: 10000, window: 1m, algorithm: fixed_window }");
        FleetSettings fleet = FleetSettings.of(200).of(Kind.NAIVE_CHUNKS);
        Result result = new Simulation(rules, fleet, List.of(customers(333, 1)), 120 * SECOND, 7).run();
        assertThat(result.accuracy()).isBetween(0.80, 0.90);
        assertThat(result.tally().oracle().beyond()).isZero();
    }
}
