package dev.weir;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Hits that {@link Weir#reserve} took for a call whose cost is not known yet. Settle the true cost after the call:
 *
 * <pre>{@code
 * try (Hold hold = weir.reserve(request.hits("output_tokens", 4_000))) {
 *     if (hold.decision().allowed()) {
 *         Answer answer = call();
 *         hold.settle("output_tokens", answer.tokens());
 *     }
 * }
 * }</pre>
 *
 * <p>A hold is settled once. {@link #close} releases a hold that was not settled: all of it goes back, as if the call had
 * not happened. If a call that fails costs something too, settle that before. If this process dies, or the hold expires,
 * what was reserved stays charged.
 *
 * <p>No call blocks. All calls are thread-safe.
 */
public interface Hold extends AutoCloseable {
    /** How long a hold can be settled, unless its caller says otherwise. */
    Duration DEFAULT_TTL = Duration.ofSeconds(60);

    /** The decision on the request; if it was denied, nothing is held. */
    Decision decision();

    /** Whether hits are held: reserved, and neither settled nor released. They may have expired. */
    boolean isHeld();

    /** The time at which the hold can no longer be settled; null if nothing was reserved. */
    @Nullable
    Instant expiresAt();

    /**
     * Settles the hold for {@code used} hits of {@code unit}, one request, and nothing of any other unit. As
     * {@link #settle(Map)}.
     */
    default CompletionStage<Settlement> settle(String unit, long used) {
        return settle(Map.of(unit, used));
    }

    /**
     * Settles the hold for the hits of each unit in {@code used}. A unit that is not named was not used; {@code requests}
     * is 1 unless named. What was reserved and not used goes back. More than was reserved is charged in full, also
     * beyond the limit: a debt, which denies until it is repaid.
     *
     * <p>After {@link Settlement#UNANSWERED} it can be called again.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    CompletionStage<Settlement> settle(Map<String, Long> used);

    /**
     * Settles the hold when {@code call} completes, for what {@code cost} finds in its result; releases it if the call or
     * {@code cost} fails. Returns a stage that completes as {@code call} does, and fails if {@code cost} does.
     */
    default <T> CompletionStage<T> settleAfter(CompletionStage<T> call, Function<T, Map<String, Long>> cost) {
        return call.whenComplete((result, failure) -> {
            try (this) {
                if (failure == null) {
                    var unused = settle(cost.apply(result));
                }
            }
        });
    }

    /** Releases the hold if it was not settled. Only the first call has an effect; it never blocks and never throws. */
    @Override
    void close();

    /** The result of settling a hold. */
    enum Settlement {
        /** The difference between the true cost and the hold was charged or given back. */
        DONE,
        /** It was settled or released before, or nothing was reserved. Nothing was charged now. */
        BEFORE,
        /** It has expired: what was reserved stays charged. */
        EXPIRED,
        /** Its counters are in the memory of another process, so only that process can settle it. */
        ELSEWHERE,
        /** A store did not answer, so it may not be settled. Settling again charges once. */
        UNANSWERED
    }
}
