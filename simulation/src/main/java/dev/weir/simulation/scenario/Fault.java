package dev.weir.simulation.scenario;

/**
 * A fault to inject.
 *
 * @param atNanos when it happens
 * @param node the node; {@link #STORE} for the store
 * @param forNanos how long it lasts
 */
public record Fault(long atNanos, Kind kind, int node, long forNanos) {
    /** The {@link #node} of a fault of the store. */
    public static final int STORE = -1;

    /** The kinds of faults. */
    public enum Kind {
        /** A machine does nothing for a while, and then resumes. */
        PAUSE,
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
