package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Consistency;
import dev.weir.simulation.fleet.PlantedMistakes;
import dev.weir.simulation.scenario.Scenario;
import org.junit.jupiter.api.Test;

/**
 * Small fleets with pauses, crashes, lost and late messages, skewed clocks and failovers, thousands of them: whatever goes wrong, no
 * stated bound is broken. A failure names its seed; {@code -Dweir.seed=N} runs that one alone, {@code -Dweir.seeds=10000} so many.
 */
class ManySeedsTest {
    private static final int SEEDS = Integer.getInteger("weir.seeds", 10_000);
    private static final int MOST_UNTIL_CAUGHT = 1_000;

    @Test
    void noSeedBreaksABound() {
        Long only = Long.getLong("weir.seed");
        long first = only == null ? 1 : only;
        long last = only == null ? SEEDS : only;
        long leased = 0;
        long degraded = 0;
        for (long seed = first; seed <= last; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            RunResult result = new Simulation(scenario, scenario.runs().get(0), true).run();
            assertThat(result.violations())
                    .as("seed %d: -Dweir.seed=%d runs it again", seed, seed)
                    .isEmpty();
            leased += result.tally().decisions() - result.tally().waited();
            degraded += result.tally().degraded();
        }
        // Else nothing was tried.
        assertThat(leased).isPositive();
        assertThat(degraded).as("of %d seeds", SEEDS).isGreaterThanOrEqualTo(only == null ? 1 : 0);
    }

    /** A monotonic clock that stands still is a lease whose expiry nobody looks at. */
    @Test
    void aLeaseThatNeverExpiresIsCaught() {
        assertThat(caught(Consistency.LEASED, PlantedMistakes.inClocks(clock -> clock.broken(elapsed -> 0))))
                .isPositive();
    }

    @Test
    void aNodeThatForgetsWhatItOwesIsCaught() {
        assertThat(caught(Consistency.REPORTED, PlantedMistakes.inStores(MistakenStore::forgetsWhatItOwes)))
                .isPositive();
    }

    @Test
    void aNodeThatDoesNotHearWhatOthersTookIsCaught() {
        assertThat(caught(Consistency.REPORTED, PlantedMistakes.inStores(MistakenStore::hearsNothing)))
                .isPositive();
    }

    @Test
    void aNodeThatKeepsItsCountsToItselfIsCaught() {
        assertThat(caught(Consistency.REPORTED, PlantedMistakes.inStores(MistakenStore::tellsNothing)))
                .isPositive();
    }

    /** The first seed that shows the mistake in a fleet of that consistency; 0 if none does. */
    private static long caught(Consistency consistency, PlantedMistakes planted) {
        for (long seed = 1; seed <= MOST_UNTIL_CAUGHT; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            Scenario.Run run = scenario.runs().get(0);
            if (run.rules().rules().get(0).consistency() == consistency
                    && !new Simulation(scenario, run, true, planted)
                            .run()
                            .violations()
                            .isEmpty()) {
                return seed;
            }
        }
        return 0;
    }
}
