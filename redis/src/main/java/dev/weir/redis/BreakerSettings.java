package dev.weir.redis;

import java.time.Duration;

/**
 * The settings of the circuit breaker of a Redis node: when it opens, and how often it probes the node afterwards.
 *
 * @param window the number of recent batches that it evaluates
 * @param minimum the number of batches before it may open
 * @param failurePercent the share of failed or slow batches at which it opens
 * @param slow the duration beyond which a batch is slow
 * @param firstProbe the wait between opening and the first probe
 * @param lastProbe the longest wait between two probes; each wait is twice the one before
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
     * Creates the settings for a {@code deadline}. No caller waits longer than the deadline if the breaker opens late.
     * A breaker that opens at a hiccup of a few deadlines turns it into a second of failures. So it opens after about
     * fifty deadlines.
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
