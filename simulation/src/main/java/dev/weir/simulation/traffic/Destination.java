package dev.weir.simulation.traffic;

/** The receiver of requests. */
@FunctionalInterface
public interface Destination {

    /** Delivers a request of {@code caller} to {@code node}, or to a node that replaces it. */
    void arrive(Flow flow, int caller, int node);
}
