package dev.weir.simulation.fleet;

import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.clock.MachineClock;
import java.util.function.UnaryOperator;

/**
 * Mistakes that a test plants in a fleet, to prove that the checks find them.
 *
 * @param clocks replaces the clocks of a machine
 * @param stores replaces the store that a node's limiter uses
 */
public record PlantedMistakes(UnaryOperator<MachineClock> clocks, UnaryOperator<SharedStore> stores) {
    public static final PlantedMistakes NONE = new PlantedMistakes(UnaryOperator.identity(), UnaryOperator.identity());

    public static PlantedMistakes inClocks(UnaryOperator<MachineClock> clocks) {
        return new PlantedMistakes(clocks, UnaryOperator.identity());
    }

    public static PlantedMistakes inStores(UnaryOperator<SharedStore> stores) {
        return new PlantedMistakes(UnaryOperator.identity(), stores);
    }
}
