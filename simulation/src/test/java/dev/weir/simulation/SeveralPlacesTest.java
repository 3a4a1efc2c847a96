package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.fleet.PlantedMistakes;
import dev.weir.simulation.scenario.Scenario;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Fleets whose requests are counted in several places: this process, several stores, the slots of each. Whatever goes wrong, no counter
 * lets more pass than its bound, no window gets back what was taken from another, and a denial costs nothing. A failure names its seed;
 * {@code -Dweir.seed=N} runs that one alone, {@code -Dweir.place-seeds=10000} so many.
 */
class SeveralPlacesTest {
    private static final int IN_THE_SUITE = 300;
    private static final int SEEDS = Integer.getInteger("weir.place-seeds", IN_THE_SUITE);
    private static final int MOST_UNTIL_CAUGHT = 300;

    @Test
    void noSeedBreaksABound() {
        Long only = Long.getLong("weir.seed");
        long first = only == null ? 1 : only;
        long last = only == null ? SEEDS : only;
        long decisions = 0;
        long degraded = 0;
        long denied = 0;
        for (long seed = first; seed <= last; seed++) {
            Scenario scenario = SeveralPlaces.of(seed);
            RunResult result = new Simulation(scenario, scenario.runs().get(0), true).run();
            assertThat(result.violations())
                    .as("seed %d: -Dweir.seed=%d runs it again", seed, seed)
                    .isEmpty();
            decisions += result.tally().decisions();
            degraded += result.tally().degraded();
            denied += result.tally().decisions() - result.tally().admitted();
        }
        if (SEEDS != IN_THE_SUITE) {
            System.out.printf(
                    "%d fleets over several places: %d decisions, %d denied, %d degraded%n",
                    last - first + 1, decisions, denied, degraded);
        }
        // Else nothing was tried.
        assertThat(Math.min(denied, degraded)).isGreaterThanOrEqualTo(only == null ? 1 : 0);
    }

    /** Once the ledger counted hits in the window of a denied take that had left as many microseconds of its own. */
    @Test
    void aTakeThatWasDeniedIsNotMistakenForALaterOne() {
        Scenario scenario = SeveralPlaces.of(5_682);
        assertThat(new Simulation(scenario, scenario.runs().get(0), true).run().violations())
                .isEmpty();
    }

    @Test
    void aDecisionThatKeepsWhatItTookInVainIsCaught() {
        assertThat(caught(MistakenPlaces::keepsWhatItTook)).isPositive();
    }

    @Test
    void aDecisionThatTakesWhatIsDeniedIsCaught() {
        assertThat(caught(MistakenPlaces::takesWhatIsDenied)).isPositive();
    }

    @Test
    void aDecisionThatGivesBackTwiceIsCaught() {
        assertThat(caught(MistakenPlaces::givesBackTwice)).isPositive();
    }

    @Test
    void aDecisionThatGivesBackWheneverItLikesIsCaught() {
        assertThat(caught(MistakenPlaces::givesBackLate)).isPositive();
    }

    /** The first seed that shows the mistake; 0 if none does. */
    private static long caught(UnaryOperator<SharedStore> mistake) {
        for (long seed = 1; seed <= MOST_UNTIL_CAUGHT; seed++) {
            Scenario scenario = SeveralPlaces.of(seed);
            Simulation mistaken =
                    new Simulation(scenario, scenario.runs().get(0), true, PlantedMistakes.inStores(mistake));
            if (!mistaken.run().violations().isEmpty()) {
                return seed;
            }
        }
        return 0;
    }
}
