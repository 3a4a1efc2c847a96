package dev.weir.simulation.store;

/**
 * A circuit breaker that opens when half of the last batches failed; a probe closes it. It models the Redis store's
 * breaker with its defaults. The real one is Resilience4j's, which core must not depend on.
 */
final class SimulatedBreaker {
    private static final int WINDOW = 100;
    private static final int LEAST = 50;

    private final boolean[] failures = new boolean[WINDOW];
    private int seen;
    private int failed;
    private boolean open;

    boolean isOpen() {
        return open;
    }

    /** Records the outcome of a batch; returns whether that opened the breaker. */
    boolean note(boolean failure) {
        if (open) {
            return false;
        }
        int at = seen++ % WINDOW;
        if (seen > WINDOW && failures[at]) {
            failed--;
        }
        failures[at] = failure;
        failed += failure ? 1 : 0;
        open = seen >= LEAST && failed * 2 >= Math.min(seen, WINDOW);
        return open;
    }

    void close() {
        open = false;
        seen = 0;
        failed = 0;
    }
}
