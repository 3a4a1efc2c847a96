package dev.weir.testing.internal.policy;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The outcome that a step expects; null where it expects nothing.
 *
 * @param allowed how many of its requests pass
 * @param denied how many of its requests are denied
 * @param degraded how many of its requests are decided by {@code on_fail}
 * @param rule the rule of every denial; without a denial, the binding rule of the last answer
 * @param status the HTTP status of the last answer
 * @param retryAfter the wait that the last answer tells
 * @param waits how long the last request waited for its answer
 * @param remaining what the last answer says is left
 * @param headers headers of the last answer by name; empty for a header that it must not have
 */
public record Expectation(
        @Nullable Expected<Long> allowed,
        @Nullable Expected<Long> denied,
        @Nullable Expected<Long> degraded,
        @Nullable Expected<String> rule,
        @Nullable Expected<Long> status,
        @Nullable Expected<ExpectedWait> retryAfter,
        @Nullable Expected<ExpectedWait> waits,
        @Nullable Expected<Long> remaining,
        Map<String, Expected<Optional<String>>> headers) {

    /** Whether it says anything. */
    public boolean isEmpty() {
        return headers.isEmpty()
                && Stream.of(allowed, denied, degraded, rule, status, retryAfter, waits, remaining)
                        .allMatch(Objects::isNull);
    }
}
