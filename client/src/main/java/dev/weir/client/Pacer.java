package dev.weir.client;

import dev.weir.client.internal.LimitReading;
import dev.weir.client.internal.PacedOrigin;
import dev.weir.client.internal.RetryBudget;
import dev.weir.client.internal.RetryDelay;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * Paces the calls of a process: it reads from each answer what is left of the limits of its origin, and says when the next
 * call may go. Refused calls wait as {@code Retry-After} says, and are retried within a budget.
 *
 * <p>Create one for the process and share it: {@link PacedHttpClient}, {@code PacingInterceptor} for OkHttp and the
 * interceptor of {@code weir-grpc} take it. Calls to an origin without limits are not delayed. Thread-safe; nothing blocks.
 */
public final class Pacer {
    private static final int MOST_ORIGINS = 10_000;
    private static final double NANOS = 1e9;

    private final long maxWaitNanos;
    private final int maxRetries;
    private final long maxRetryAfterSeconds;
    private final boolean idempotencyKeys;
    private final RetryBudget budget;
    private final Map<String, PacedOrigin> origins = new ConcurrentHashMap<>();
    private final long startNanos = System.nanoTime();

    private Pacer(Builder builder) {
        maxWaitNanos = builder.maxWait.toNanos();
        maxRetries = builder.maxRetries;
        maxRetryAfterSeconds = builder.maxRetryAfter.toSeconds();
        idempotencyKeys = builder.idempotencyKeys;
        budget = new RetryBudget(builder.retryShare, builder.retryFloor);
    }

    /** A pacer with the usual options. */
    public static Pacer create() {
        return builder().build();
    }

    /** Starts a pacer with other options. */
    public static Builder builder() {
        return new Builder();
    }

    /** Begins a call to {@code origin}: any text, such as {@code https://api.example.com}, whose calls share limits. */
    public PacedCall begin(String origin) {
        budget.called();
        return retry(origin);
    }

    /** Begins a further attempt of a call, which is not a call of its own for the budget of retries. */
    PacedCall retry(String origin) {
        return new PacedCall(this, origin(origin), now() + maxWaitNanos / NANOS);
    }

    PacedOrigin origin(String origin) {
        PacedOrigin paced = origins.get(origin);
        if (paced == null) {
            if (origins.size() >= MOST_ORIGINS) {
                origins.clear(); // they are learned again
            }
            paced = origins.computeIfAbsent(
                    origin,
                    ignored -> new PacedOrigin(() -> ThreadLocalRandom.current().nextDouble()));
        }
        return paced;
    }

    /** Whether {@code origin} asks for no longer wait than a call may make. */
    boolean fits(PacedOrigin origin) {
        double now = now();
        return origin.blockedUntil(now) <= now + maxWaitNanos / NANOS;
    }

    int maxRetries() {
        return maxRetries;
    }

    boolean addsIdempotencyKeys() {
        return idempotencyKeys;
    }

    boolean tryRetry() {
        return budget.tryRetry();
    }

    double now() {
        return (System.nanoTime() - startNanos) / NANOS;
    }

    List<LimitReading> readings(Function<String, List<String>> headers) {
        return LimitReading.of(headers, System.currentTimeMillis() / 1_000);
    }

    long retryAfterSeconds(Function<String, List<String>> headers) {
        return RetryDelay.seconds(headers, System.currentTimeMillis() / 1_000, maxRetryAfterSeconds);
    }

    /** Collects the options of a {@link Pacer}; each has a default. */
    public static final class Builder {
        private Duration maxWait = Duration.ofSeconds(30);
        private int maxRetries = 3;
        private double retryShare = 0.2;
        private int retryFloor = 10;
        private Duration maxRetryAfter = Duration.ofMinutes(5);
        private boolean idempotencyKeys = true;

        private Builder() {}

        /**
         * Sets how long a call may wait for its turn before it fails; 30 s by default. A refused call that would have to wait
         * longer is not sent again: its caller gets the refusal.
         */
        public Builder maxWait(Duration longest) {
            if (longest.isNegative() || longest.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("maxWait: " + longest + " (expected: 0 to 1 day)");
            }
            maxWait = longest;
            return this;
        }

        /** Sets how often a call that was refused is sent again; 3 by default, 0 for never. */
        public Builder maxRetries(int times) {
            if (times < 0) {
                throw new IllegalArgumentException("maxRetries: " + times + " (expected: >= 0)");
            }
            maxRetries = times;
            return this;
        }

        /**
         * Sets how many of all calls may be retries, as a share, and how many of them are saved up; a fifth and 10 by
         * default.
         */
        public Builder retryBudget(double share, int floor) {
            if (!(share >= 0 && share <= 1) || floor < 0) {
                throw new IllegalArgumentException(
                        "retryBudget: " + share + ", " + floor + " (expected: a share of 0 to 1, and >= 0)");
            }
            retryShare = share;
            retryFloor = floor;
            return this;
        }

        /** Sets the longest {@code Retry-After} that is obeyed in full; 300 s by default. */
        public Builder maxRetryAfter(Duration longest) {
            if (longest.compareTo(Duration.ofSeconds(1)) < 0) {
                throw new IllegalArgumentException("maxRetryAfter: " + longest + " (expected: >= 1s)");
            }
            maxRetryAfter = Objects.requireNonNull(longest, "longest");
            return this;
        }

        /** Adds no {@code Idempotency-Key} to POST and PATCH, and does not retry those that bring none. */
        public Builder withoutIdempotencyKeys() {
            idempotencyKeys = false;
            return this;
        }

        /** Makes the pacer. */
        public Pacer build() {
            return new Pacer(this);
        }
    }
}
