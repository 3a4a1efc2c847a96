package dev.weir.redis;

import java.time.Duration;

/**
 * When a node of Redis is taken for gone, and how often it is tried since.
 *
 * @param window how many of the last batches are looked at
 * @param minimum how many there must be of them
 * @param failurePercent opens when this share of them failed, or was slow
 * @param slow a batch that took longer is slow
 * @param firstProbe how long after it opened the node is tried
 * @param lastProbe the longest wait between two tries; each is twice the one before
 */
public record BreakerSettings(
        int window, int minimum, int failurePercent, Duration slow, Duration firstProbe, Duration lastProbe) {

    public BreakerSettings {
        atLeastOne("breaker.window", window);
        atLeastOne("breaker.minimum", minimum);
        if (failurePercent < 1 || failurePercent > 100) {
            throw new IllegalArgumentException("breaker.failure_percent: " + failurePercent + " (expected: 1 to 100)");
        }
        positive("breaker.slow", slow);
        positive("breaker.first_probe", firstProbe);
        positive("breaker.last_probe", lastProbe);
    }

    /**
     * For answers that are waited for as long as {@code deadline}. Nobody waits longer for a breaker that opens later, and one that
     * opens at a hiccup of a few deadlines makes a whole second of failures of it: so it takes some fifty deadlines.
     */
    public static BreakerSettings of(Duration deadline) {
        return new BreakerSettings(100, 50, 50, deadline, Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= 1)");
        }
    }

    private static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: > 0)");
        }
    }
}
