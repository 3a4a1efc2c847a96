package dev.weir.control.source;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before connecting again: anything up to a bound that doubles with every failure ("full jitter"), so that the
 * servers of a fleet do not all come back at once.
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

    /** The wait after one more failure. */
    long nextMillis() {
        long bound = Math.min(mostMillis, FIRST_MILLIS << Math.min(failures++, 20));
        return random.nextLong(bound + 1);
    }

    /** What was connected to stayed. */
    void reset() {
        failures = 0;
    }
}
