package dev.weir.control.source;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The wait before reconnecting: a random time up to a bound that doubles with every failure ("full jitter"), so that
 * the servers of a fleet do not all reconnect at once.
 */
final class FullJitterBackoff {
    private static final long FIRST_MILLIS = 100;

    private final long mostMillis;
    private final RandomGenerator random;
    private int failures;

    FullJitterBackoff(Duration most, RandomGenerator random) {
        this.mostMillis = Math.max(1, most.toMillis());
        this.random = random;
    }

    /** Returns the wait after one more failure. */
    long nextMillis() {
        long bound = Math.min(mostMillis, FIRST_MILLIS << Math.min(failures++, 20));
        return random.nextLong(bound + 1);
    }

    /** Starts again from the shortest wait, after a connection that lasted. */
    void reset() {
        failures = 0;
    }
}
