package dev.weir.internal.runtime;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Computes the wait before the next attempt: a random time up to a bound that doubles with every failure (full jitter),
 * so that the servers of a fleet do not all retry at once. Used by one thread at a time.
 */
public final class Backoff {
    /** Beyond this the bound is {@code longest} anyway, and the shift must not overflow. */
    private static final int MOST_DOUBLINGS = 20;

    private final long firstNanos;
    private final long longestNanos;
    private int failures;

    /** Creates a backoff of up to {@code first} after the first failure, and never more than {@code longest}. */
    public Backoff(Duration first, Duration longest) {
        this.firstNanos = first.toNanos();
        this.longestNanos = Math.max(1, longest.toNanos());
    }

    /** Returns the wait after one more failure: at least a nanosecond. */
    public long nextNanos() {
        long bound = Math.min(longestNanos, firstNanos << Math.min(failures++, MOST_DOUBLINGS));
        return ThreadLocalRandom.current().nextLong(bound) + 1;
    }

    /** Resets the backoff after a success. */
    public void reset() {
        failures = 0;
    }
}
