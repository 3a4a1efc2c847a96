package dev.weir.simulation.scenario;

/**
 * Something that goes wrong.
 *
 * @param atNanos when
 * @param node which node; {@link #STORE} for the store
 * @param forNanos for how long
 * @param server which server of a store, those of all stores being numbered in their order: the one that fails, or the one that the
 *     connection leads to; {@link #EVERY} for all connections of a node
 */
public record Fault(long atNanos, Kind kind, int node, long forNanos, int server) {
    /** {@link #node} of a store. */
    public static final int STORE = -1;
    /** {@link #server} of a fault that concerns all connections of a node. */
    public static final int EVERY = -1;

    /** A fault of the first server, or of a node with all its connections. */
    public Fault(long atNanos, Kind kind, int node, long forNanos) {
        this(atNanos, kind, node, forNanos, node == STORE ? 0 : EVERY);
    }

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
