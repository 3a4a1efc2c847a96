package dev.weir;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one check: whether the limit has room, how many hits are left, and when the same hits pass again.
 *
 * <p>Weir implements this interface; users only read it. A verdict that a call returned never changes.
 */
public interface Verdict {

    /** The reason for the outcome of a check. */
    enum Reason {
        /** The limit had room. */
        WITHIN_LIMIT,
        /** The limit is used up; the same hits pass after {@link Verdict#retryAfter}. */
        OVER_LIMIT,
        /** The request asked for more hits than the limit can ever hold. */
        NEVER,
        /** The request lacked the attribute that the rule counts by, and the rule says {@code on_missing: deny}. */
        MISSING_KEY,
        /** The rule says {@code unlimited}. */
        UNLIMITED,
        /** The store did not answer, and the rule says {@code on_fail: deny}; when the hits pass is unknown. */
        STORE_DOWN
    }

    /** Whether the limit had room. */
    boolean allowed();

    Reason reason();

    /** The cause of a denial, with its HTTP status; null if the limit had room. */
    @Nullable
    Cause cause();

    /** The name of the rule; null for a {@link RateLimiter}, and for a limit that the request itself carried. */
    @Nullable
    String ruleName();

    /** The limit in force; null if the rule says {@code unlimited}. */
    @Nullable
    Limit limit();

    /** The hits that the request asked for. */
    long hits();

    /** Hits that would still fit after this request, without credit. */
    long remaining();

    /**
     * Hits that were taken beyond the limit, on its {@linkplain Limit#credit credit} or by a call that cost more than it
     * had reserved. Nothing remains until the refill has repaid them.
     */
    long debt();

    /** The time until the counter is completely unused again. */
    Duration reset();

    /**
     * The exact wait after which the same hits pass if no other caller takes any. Zero if they passed, or if the wait
     * is unknown ({@link Reason#STORE_DOWN}); null if they can never pass ({@link Reason#NEVER}).
     */
    @Nullable
    Duration retryAfter();

    /**
     * The delay that a {@code leaky_bucket} asks the caller to wait before it proceeds; zero for all other algorithms.
     */
    Duration delay();

    /** Whether the store did not answer, so that the failure policy ({@code on_fail}) decided. */
    boolean degraded();

    /** Whether the rule is in {@code shadow} mode: it denies nothing, even if the verdict is not {@link #allowed}. */
    boolean shadow();
}
