package dev.weir.server.rest;

import dev.weir.internal.match.pattern.TrustedProxies;
import dev.weir.internal.runtime.HeapShare;
import dev.weir.server.rls.RequestCaps;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the REST API, and the bound on everything that a caller can send.
 *
 * @param draft the revision of the {@code RateLimit} fields: in 11 {@code t} is the effective window, in 10 the seconds
 *     to reset
 * @param retryJitter the maximum that is added to {@code Retry-After}, so that callers that were denied together do not
 *     retry together
 * @param proxies whose headers name the caller, where a check asks for its address
 * @param forward how gateways ask about the requests that they forward
 */
public record RestSettings(
        RequestCaps caps,
        int draft,
        Duration retryJitter,
        Idempotency idempotency,
        TrustedProxies proxies,
        ForwardSettings forward) {

    public RestSettings {
        if (draft != 10 && draft != 11) {
            throw new IllegalArgumentException("draft: " + draft + " (expected: 10 or 11)");
        }
    }

    public static RestSettings defaults() {
        return new RestSettings(
                RequestCaps.defaults(),
                11,
                Duration.ofSeconds(1),
                Idempotency.defaults(),
                TrustedProxies.NONE,
                ForwardSettings.defaults());
    }

    /** Returns these settings with other bounds on the answers remembered per caller. */
    public RestSettings withIdempotency(Duration keep, int perCaller) {
        return new RestSettings(
                caps,
                draft,
                retryJitter,
                new Idempotency(keep, perCaller, idempotency.total(), idempotency.bytes(), idempotency.header()),
                proxies,
                forward);
    }

    /** Returns these settings with another header for idempotency keys; null for the usual ones. */
    public RestSettings withIdempotencyHeader(@Nullable String header) {
        Idempotency same = idempotency;
        return new RestSettings(
                caps,
                draft,
                retryJitter,
                new Idempotency(same.keep(), same.perCaller(), same.total(), same.bytes(), header),
                proxies,
                forward);
    }

    /** Returns these settings with other trusted proxies. */
    public RestSettings withProxies(TrustedProxies trusted) {
        return new RestSettings(caps, draft, retryJitter, idempotency, trusted, forward);
    }

    /** Returns these settings with other ones for gateways. */
    public RestSettings withForward(ForwardSettings other) {
        return new RestSettings(caps, draft, retryJitter, idempotency, proxies, other);
    }

    /**
     * Bounds on the answers that are remembered for retries with the same key.
     *
     * @param perCaller answers per caller; beyond that its oldest is dropped
     * @param total answers of all callers; beyond that the least recent caller loses its answers
     * @param bytes of the memory of these answers; beyond that likewise
     * @param header the only header whose keys count; null for {@code Idempotency-Key} and {@code X-Idempotency-Key}
     */
    public record Idempotency(
            Duration keep,
            int perCaller,
            int total,
            long bytes,
            @Nullable String header) {

        public static Idempotency defaults() {
            return new Idempotency(
                    Duration.ofHours(24), 1_024, 32_768, HeapShare.REMEMBERED_ANSWERS.ofThisHeap(), null);
        }
    }
}
