package dev.weir.redis.internal.connection;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next connection is tried: random between nothing and a bound that doubles (full jitter; what Lettuce
 * calls so never waits less than half the bound).
 */
public final class ReconnectBackoff {
    private static final long FIRST_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(2).toNanos();

    private int attempt;

    long nextNanos() {
        return nanos(attempt++);
    }

    void startOver() {
        attempt = 0;
    }

    public static long nanos(int attempt) {
        long bound = Math.min(LONGEST_NANOS, FIRST_NANOS << Math.min(attempt, 16));
        return ThreadLocalRandom.current().nextLong(bound) + 1;
    }
}
