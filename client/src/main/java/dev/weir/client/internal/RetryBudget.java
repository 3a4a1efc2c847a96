package dev.weir.client.internal;

/**
 * Lets retries be a share of the calls, and a few more, so that retries cannot multiply the load of a server that refuses.
 * Thread-safe.
 */
public final class RetryBudget {
    private final double share;
    private final double most;
    private double left;

    /** Allows {@code share} of the calls to be retries, and saves up {@code floor} of them. */
    public RetryBudget(double share, int floor) {
        this.share = share;
        this.most = Math.max(1, floor);
        this.left = floor;
    }

    /** A call began. */
    public synchronized void called() {
        left = Math.min(most, left + share);
    }

    /** Whether a retry may be made now; if so it is charged. */
    public synchronized boolean tryRetry() {
        if (left < 1) {
            return false;
        }
        left--;
        return true;
    }
}
