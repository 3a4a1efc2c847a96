package dev.weir;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request: whether it may pass, and a {@link Verdict} for each rule that it met.
 *
 * <p>Weir implements this interface, users only read it. A decision that {@link Weir#decide} returned never changes; one that
 * a {@link WeirObserver} sees is reused as soon as the observer returns. {@code toString()} is for logs.
 */
public interface Decision {

    /** Whether the request may pass. */
    boolean allowed();

    /** Whether a store did not answer in time, so that the failure policy ({@code on_fail}) of a rule decided. */
    boolean degraded();

    /** The verdict that speaks for the decision: a denial, else the rule with the least share left; null if no rule applied. */
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
     * The values that share the counter of the {@link #binding} verdict, such as {@code api_key=abc}: escaped and cut short, safe to
     * show; empty for a counter that all callers share. Null if the request passed and did not
     * {@linkplain Request#nameCounter ask} for it.
     */
    @Nullable
    String counterName();

    /**
     * How long to wait before the same request passes: the {@link Verdict#retryAfter} of the {@link #binding} verdict. Zero if the
     * request passed or nobody knows; null if it never will.
     */
    default @Nullable Duration retryAfter() {
        Verdict binding = binding();
        return allowed() || binding == null ? Duration.ZERO : binding.retryAfter();
    }

    /** How long the caller is to wait before it goes on, where a {@code leaky_bucket} says so; zero otherwise. */
    Duration delay();
}
