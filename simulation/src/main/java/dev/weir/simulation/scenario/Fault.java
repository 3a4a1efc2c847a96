package dev.weir.simulation.scenario;

/**
 * Something that goes wrong.
 *
 * @param atNanos when
 * @param node which node; {@link #STORE} for the store
 * @param forNanos for how long
 */
public record Fault(long atNanos, Kind kind, int node, long forNanos) {
    /** {@link #node} of the store. */
    public static final int STORE = -1;

    /** What can go wrong. */
    public enum Kind {
        /** A machine does nothing for a while, and then goes on. */
        PAUSE,
        /** A node's process ends at once, and another starts after a while. */
        KILL,
        /** A node's process ends in order, giving back what it holds, and another starts after a while. */
        STOP,
        /** Nothing gets through between a node and the store for a while. */
        CUT,
        /** A node's connection is lost. */
        BREAK,
        /** The store's replica takes over, without the last writes. */
        FAIL_OVER
    }
}
