package dev.weir;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request: whether it may pass, and a {@link Verdict} for each rule that applied to it.
 *
 * <p>Weir implements this interface; users only read it. A decision that {@link Weir#decide} returned never changes. A
 * decision that a {@link WeirObserver} receives is reused as soon as the observer returns. {@code toString()} is for
 * logs.
 */
public interface Decision {

    /** Whether the request may pass. */
    boolean allowed();

    /** The cause of the denial, with its HTTP status; null if the request may pass. */
    @Nullable
    Cause cause();

    /** The HTTP status for the caller: 200 if the request may pass, else that of the {@link #cause}. */
    default int status() {
        Cause cause = cause();
        return cause == null ? 200 : cause.status();
    }

    /** Whether a store did not answer in time, so that the failure policy ({@code on_fail}) of a rule decided. */
    boolean degraded();

    /**
     * The verdict that determines the decision: a denial, else the rule with the smallest share left; null without
     * rules.
     */
    @Nullable
    Verdict binding();

    /** All verdicts, in the order of the rules; empty if no rule applied. */
    List<Verdict> verdicts();

    /** The name of the rule of the {@link #binding} verdict; null without one. */
    default @Nullable String ruleName() {
        Verdict binding = binding();
        return binding == null ? null : binding.ruleName();
    }

    /**
     * The values that identify the counter of the {@link #binding} verdict, such as {@code api_key=abc}. They are
     * escaped and truncated, so they are safe to show. Empty for a counter that all callers share. Null if the request
     * passed and did not {@linkplain Request#nameCounter ask} for the name.
     */
    @Nullable
    String counterName();

    /**
     * The wait before the same request passes: the {@link Verdict#retryAfter} of the {@link #binding} verdict. Zero if
     * the request passed or the wait is unknown; null if the request can never pass.
     */
    default @Nullable Duration retryAfter() {
        Verdict binding = binding();
        return allowed() || binding == null ? Duration.ZERO : binding.retryAfter();
    }

    /**
     * The permits that the request took from {@code concurrency} limits; the caller closes it when its call has ended.
     * Holds nothing if the request was denied or met no such limit, and for a {@link WeirObserver}.
     */
    Permit permit();

    /** The delay that a {@code leaky_bucket} asks the caller to wait before it proceeds; zero otherwise. */
    Duration delay();
}
