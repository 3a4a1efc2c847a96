package dev.weir.spring;

import dev.weir.Decision;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a method with {@link RateLimited} that may not be called now. If nothing else handles it, an HTTP call is answered
 * with 429, {@code Retry-After} and a problem document. It has no stack trace, because a caller can cause any number of them.
 */
public final class RateLimitedException extends RuntimeException {
    private final transient Decision decision;

    /** Creates the exception of a decision that denied its request. */
    public RateLimitedException(Decision decision) {
        super(decision.toString(), null, false, false);
        this.decision = decision;
    }

    /** The decision, with its verdicts. */
    public Decision decision() {
        return decision;
    }

    /** The rule that denied the call; null if a ban did. */
    public @Nullable String ruleName() {
        return decision.ruleName();
    }

    /** How long to wait until the call passes, if nobody else takes what is free then; null if it never does. */
    public @Nullable Duration retryAfter() {
        return decision.retryAfter();
    }

    /** The HTTP status of the denial: 429, 503 or 403. */
    public int status() {
        return decision.status();
    }
}
