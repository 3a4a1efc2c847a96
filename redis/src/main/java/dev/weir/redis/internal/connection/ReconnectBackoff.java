package dev.weir.redis.internal.connection;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The wait before the next attempt to connect: a random time up to a bound that doubles (full jitter; Lettuce's variant
 * of that name never waits less than half the bound).
 */
public final class ReconnectBackoff {
    private static final long FIRST_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

    private int attempt;

    long nextNanos() {
        return nanos(attempt++);
    }

    void reset() {
        attempt = 0;
    }

    public static long nanos(int attempt) {
        long bound = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(attempt, 16));
        return ThreadLocalRandom.current().nextLong(bound) + 1;
    }
}
