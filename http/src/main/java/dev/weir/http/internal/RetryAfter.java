package dev.weir.http.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Computes {@code Retry-After}, with jitter: callers that were denied together should not all return together. */
public final class RetryAfter {
    private final long jitterSeconds;

    /** Adds a random number of whole seconds up to {@code jitter}. */
    public RetryAfter(Duration jitter) {
        this.jitterSeconds = jitter.toSeconds();
    }

    /** The seconds that a denied caller should wait. */
    public String seconds(VerdictNumbers numbers) {
        return Long.toString(
                numbers.retryAfterSeconds() + ThreadLocalRandom.current().nextLong(jitterSeconds + 1));
    }
}
