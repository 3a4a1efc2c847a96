package dev.weir;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one check: whether the limit has room, what is left of it, and when the same hits pass again.
 *
 * <p>Weir implements this interface, users only read it. A verdict that a call returned never changes.
 */
public interface Verdict {

    /** Why a check came out as it did. */
    enum Reason {
        /** There was room. */
        WITHIN_LIMIT,
        /** The limit was used up; it passes after {@link Verdict#retryAfter}. */
        OVER_LIMIT,
        /** More hits than the limit can ever hold. */
        NEVER,
        /** The request lacked the attribute that the rule counts by, and the rule says {@code on_missing: deny}. */
        MISSING_KEY,
        /** The rule says {@code unlimited}. */
        UNLIMITED,
        /** The store did not answer, and the rule says {@code on_fail: deny}; nobody knows when it passes. */
        STORE_DOWN
    }

    /** Whether the limit had room. */
    boolean allowed();

    Reason reason();

    /** The name of the rule; null where there is none: a {@link RateLimiter}, or a limit that the request brought. */
    @Nullable
    String ruleName();

    /** The limit in force; null where the rule says {@code unlimited}. */
    @Nullable
    Limit limit();

    /** The hits that the request asked of this limit. */
    long hits();

    /** Hits that would still fit after this request. */
    long remaining();

    /** The time until the counter is as good as new. */
    Duration reset();

    /**
     * The exact wait after which the same hits pass if nobody else takes any. Zero if they passed, or if nobody knows ({@link
     * Reason#STORE_DOWN}); null if they never will ({@link Reason#NEVER}).
     */
    @Nullable
    Duration retryAfter();

    /** How long a {@code leaky_bucket} asks the caller to wait before it goes on; zero for all other algorithms. */
    Duration delay();

    /** Whether the store did not answer, and the failure policy ({@code on_fail}) decided. */
    boolean degraded();

    /** Whether the rule only watches ({@code shadow}): a verdict that is not {@link #allowed} then denies nothing. */
    boolean shadow();
}
