package dev.weir.simulation.fleet;

import dev.weir.simulation.clock.MachineClock;
import dev.weir.store.SharedStore;
import java.util.function.UnaryOperator;

/**
 * Mistakes that a test plants in a fleet, to see that they are found.
 *
 * @param clocks what becomes of the clocks of a machine
 * @param stores what becomes of a node's way to the store, as its limiter sees it
 */
public record Planted(UnaryOperator<MachineClock> clocks, UnaryOperator<SharedStore> stores) {
    public static final Planted NONE = new Planted(UnaryOperator.identity(), UnaryOperator.identity());

    public static Planted inClocks(UnaryOperator<MachineClock> clocks) {
        return new Planted(clocks, UnaryOperator.identity());
    }

    public static Planted inStores(UnaryOperator<SharedStore> stores) {
        return new Planted(UnaryOperator.identity(), stores);
    }
}
