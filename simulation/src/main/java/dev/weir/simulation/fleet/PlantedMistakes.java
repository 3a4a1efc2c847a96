package dev.weir.simulation.fleet;

import dev.weir.internal.store.SharedStore;
import dev.weir.simulation.clock.MachineClock;
import java.util.function.UnaryOperator;

/**
 * Mistakes that a test plants in a fleet, to see that they are found.
 *
 * @param clocks what becomes of the clocks of a machine
 * @param stores what becomes of a node's way to the store, as its limiter sees it
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
