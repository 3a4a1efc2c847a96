package dev.weir.server.rest;

import dev.weir.server.rls.RequestCaps;
import java.time.Duration;

/**
 * How the HTTP side behaves, and the bound on everything that a caller can send.
 *
 * @param draft the revision of the {@code RateLimit} fields: in 11 {@code t} is the effective window, in 10 the seconds to reset
 * @param retryJitter at most this is added to {@code Retry-After}, so that those turned away together do not return together
 */
public record RestSettings(RequestCaps caps, int draft, Duration retryJitter, Idempotency idempotency) {

    public RestSettings {
        if (draft != 10 && draft != 11) {
            throw new IllegalArgumentException("draft: " + draft + " (expected: 10 or 11)");
        }
    }

    public static RestSettings defaults() {
        return new RestSettings(RequestCaps.defaults(), 11, Duration.ofSeconds(1), Idempotency.defaults());
    }

    /** These settings with other bounds on what is remembered of one caller. */
    public RestSettings withIdempotency(Duration keep, int perCaller) {
        return new RestSettings(caps, draft, retryJitter, new Idempotency(keep, perCaller, idempotency.total()));
    }

    /**
     * How many answers are remembered for callers that ask again with the same key.
     *
     * @param perCaller answers; the oldest of the same caller makes room
     * @param total answers over all callers; the caller silent for the longest time makes room
     */
    public record Idempotency(Duration keep, int perCaller, int total) {

        public static Idempotency defaults() {
            return new Idempotency(Duration.ofHours(24), 1_024, 32_768);
        }
    }
}
