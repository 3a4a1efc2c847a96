package dev.weir.simulation.store;

/**
 * Opens when half of the last rounds failed; a probe closes it. A model of the Redis store's with its defaults and not its code: that
 * one is Resilience4j's, on which core may not lean.
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

    /** Takes note of a round; whether that opened it. */
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
