package dev.weir.simulation.clock;

/** Something that happens at a moment of a {@link Timeline}. */
@FunctionalInterface
public interface Event {

    void happen();
}
