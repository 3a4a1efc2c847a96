package dev.weir.internal.runtime;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next attempt: anything up to a bound that doubles with every failure (full jitter), so that the
 * servers of a fleet do not all come back at once. Used by one thread at a time.
 */
public final class Backoff {
    /** Beyond this the bound is the longest anyway, and shifting must not overflow. */
    private static final int MOST_DOUBLINGS = 20;

    private final long firstNanos;
    private final long longestNanos;
    private int failures;

    /** Waits up to {@code first} after the first failure, and never longer than {@code longest}. */
    public Backoff(Duration first, Duration longest) {
        this.firstNanos = first.toNanos();
        this.longestNanos = Math.max(1, longest.toNanos());
    }

    /** The wait after one more failure: at least a nanosecond. */
    public long nextNanos() {
        long bound = Math.min(longestNanos, firstNanos << Math.min(failures++, MOST_DOUBLINGS));
        return ThreadLocalRandom.current().nextLong(bound) + 1;
    }

    /** The attempt succeeded: the next failure is the first again. */
    public void reset() {
        failures = 0;
    }
}
