package dev.weir.simulation.traffic;

/** Where requests go. */
@FunctionalInterface
public interface Destination {

    /** A request of {@code caller} reaches {@code node}, or whoever stands in for it. */
    void arrive(Flow flow, int caller, int node);
}
