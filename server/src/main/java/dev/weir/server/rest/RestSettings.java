package dev.weir.server.rest;

import java.time.Duration;

/**
 * How the HTTP side behaves, and the bound on everything that a caller can send.
 *
 * @param draft the revision of the {@code RateLimit} fields: in 11 {@code t} is the effective window, in 10 the seconds to reset
 * @param retryJitter at most this is added to {@code Retry-After}, so that those turned away together do not return together
 */
public record RestSettings(Caps caps, int draft, Duration retryJitter, Idempotency idempotency) {

    public RestSettings {
        if (draft != 10 && draft != 11) {
            throw new IllegalArgumentException("draft: " + draft + " (expected: 10 or 11)");
        }
    }

    public static RestSettings defaults() {
        return new RestSettings(Caps.defaults(), 11, Duration.ofSeconds(1), Idempotency.defaults());
    }

    /** These settings with other bounds on what is remembered of one caller. */
    public RestSettings withIdempotency(Duration keep, int perCaller) {
        return new RestSettings(caps, draft, retryJitter, new Idempotency(keep, perCaller, idempotency.total()));
    }

    /**
     * What a request may hold; past it the caller is told which cap and its number.
     *
     * @param body bytes of a request's body
     * @param entries of one descriptor, or attributes of a request
     * @param name bytes of a domain or of a key
     * @param value bytes of a value
     */
    public record Caps(int body, int descriptors, int entries, int name, int value) {

        public static Caps defaults() {
            return new Caps(2 << 20, 1_000, 100, 1_024, 32 << 10);
        }
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
