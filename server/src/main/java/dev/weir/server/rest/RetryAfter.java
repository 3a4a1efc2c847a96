package dev.weir.server.rest;

import dev.weir.server.problem.VerdictNumbers;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Computes {@code Retry-After}, with jitter: callers that were denied together should not all return together. */
final class RetryAfter {
    private final long jitterSeconds;

    /** Adds a random number of whole seconds up to {@code jitter}. */
    RetryAfter(Duration jitter) {
        this.jitterSeconds = jitter.toSeconds();
    }

    /** The seconds that a denied caller should wait. */
    String seconds(VerdictNumbers numbers) {
        return Long.toString(
                numbers.retryAfterSeconds() + ThreadLocalRandom.current().nextLong(jitterSeconds + 1));
    }
}
