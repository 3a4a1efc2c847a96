package dev.weir.simulation.scenario;

/**
 * A fault to inject.
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

    /** The kinds of faults. */
    public enum Kind {
        /** A machine does nothing for a while, and then resumes. */
        PAUSE,
        /** A node's machine is suspended for a while: it does nothing, and its monotonic clock stands still. */
        SUSPEND,
        /** A node's process is killed, and another starts after a while. */
        KILL,
        /** A node's process shuts down, giving back its leases, and another starts after a while. */
        STOP,
        /** No message gets through between a node and the store for a while. */
        CUT,
        /** A node loses its connection. */
        BREAK,
        /** The store's replica takes over, without the last writes. */
        FAIL_OVER
    }
}
