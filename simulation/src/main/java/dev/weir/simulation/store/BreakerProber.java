package dev.weir.simulation.store;

/** Probes in the background whether a store that failed too often serves again: after a second, then with backoff. */
final class BreakerProber {
    private static final long FIRST_WAIT = 1_000_000_000L;
    private static final long LAST_WAIT = 30 * FIRST_WAIT;

    private final HostEventLoop loop;
    private final Link link;
    private final SimulatedBreaker breaker = new SimulatedBreaker();
    private long waitNanos;

    BreakerProber(HostEventLoop loop, Link link) {
        this.loop = loop;
        this.link = link;
    }

    boolean isOpen() {
        return breaker.isOpen();
    }

    /** Records the outcome of a batch. */
    void note(boolean failure) {
        if (breaker.note(failure)) {
            waitNanos = FIRST_WAIT;
            loop.after(waitNanos, this::probe);
        }
    }

    /** Records that a probe was answered. */
    void answered() {
        breaker.close();
    }

    private void probe() {
        if (breaker.isOpen()) {
            link.probe();
            waitNanos = Math.min(2 * waitNanos, LAST_WAIT);
            loop.after(waitNanos, this::probe);
        }
    }
}
