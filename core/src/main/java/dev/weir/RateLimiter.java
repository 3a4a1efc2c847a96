package dev.weir;

import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.MutableVerdict.Reason;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.memory.MemoryStore;
import java.util.Objects;

/**
 * One limit for any number of keys, each counted on its own; there is no object per key to create, keep or drop.
 *
 * <pre>{@code
 * RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(100, Duration.ofSeconds(1)).withBurst(200));
 * Verdict verdict = limiter.acquire("user-42");
 * if (!verdict.allowed()) {
 *     throw new TooManyRequests(verdict.retryAfter());
 * }
 * }</pre>
 *
 * <h2>Which calls block</h2>
 *
 * None. {@link #tryAcquire} answers yes or no, {@link #acquire} says more, {@link #probe} asks without taking, {@link #giveBack}
 * returns what was not needed; whoever wants to wait does so for {@link MutableVerdict#retryAfter} in the way of their framework. All
 * are safe from any thread, and exact: of many threads at once, no more pass than the limit says.
 *
 * <h2>Memory</h2>
 *
 * A key takes some 44 bytes of a table while it has something used. Beyond {@link Builder#maxKeys} those that used the least share of
 * their limit are forgotten first. {@code tryAcquire} allocates nothing.
 */
public final class RateLimiter {
    private final LocalStore store;
    private final TimeSource time;
    private volatile MeteredLimit limit;

    private RateLimiter(Builder builder) {
        this.limit = builder.limit;
        this.time = builder.time;
        this.store = new MemoryStore(builder.maxKeys);
    }

    /**
     * A limiter that holds each key to {@code limit}.
     *
     * @throws IllegalArgumentException if the limit cannot be counted exactly; the message says why and what to do
     */
    public static RateLimiter of(Limit limit) {
        return builder(limit).build();
    }

    /** Starts a limiter with a bound on keys, or a clock, of its own. */
    public static Builder builder(Limit limit) {
        return new Builder(limit);
    }

    /** Takes one hit of {@code key} if it fits. */
    public boolean tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /** Takes {@code hits} of {@code key} if all of them fit, else none. */
    public boolean tryAcquire(String key, long hits) {
        return decide(RateLimiterScratch.of(limit, key), atLeast(0, hits));
    }

    /** Takes one hit of {@code key} if it fits. */
    public boolean tryAcquire(long key) {
        return tryAcquire(key, 1);
    }

    /** Takes {@code hits} of {@code key} if all of them fit, else none. */
    public boolean tryAcquire(long key, long hits) {
        return decide(RateLimiterScratch.of(limit, key), atLeast(0, hits));
    }

    /** As {@link #tryAcquire(String)}, and says what is left, and when the hit would fit if it did not. */
    public MutableVerdict acquire(String key) {
        return acquire(key, 1);
    }

    /** As {@link #tryAcquire(String, long)}, and says what is left, and when the hits would fit if they did not. */
    public MutableVerdict acquire(String key, long hits) {
        return verdict(RateLimiterScratch.of(limit, key), atLeast(0, hits));
    }

    /** As {@link #tryAcquire(long)}, and says what is left, and when the hit would fit if it did not. */
    public MutableVerdict acquire(long key) {
        return acquire(key, 1);
    }

    /** As {@link #tryAcquire(long, long)}, and says what is left, and when the hits would fit if they did not. */
    public MutableVerdict acquire(long key, long hits) {
        return verdict(RateLimiterScratch.of(limit, key), atLeast(0, hits));
    }

    /** Whether one hit of {@code key} would fit now; takes nothing. */
    public MutableVerdict probe(String key) {
        return probe(key, 1);
    }

    /** Whether {@code hits} of {@code key} would fit now; takes nothing. */
    public MutableVerdict probe(String key, long hits) {
        return verdict(RateLimiterScratch.of(limit, key).denied(), atLeast(0, hits));
    }

    /** Whether one hit of {@code key} would fit now; takes nothing. */
    public MutableVerdict probe(long key) {
        return probe(key, 1);
    }

    /** Whether {@code hits} of {@code key} would fit now; takes nothing. */
    public MutableVerdict probe(long key, long hits) {
        return verdict(RateLimiterScratch.of(limit, key).denied(), atLeast(0, hits));
    }

    /** Gives back {@code hits} of {@code key} that were taken and not needed, down to nothing used. */
    public void giveBack(String key, long hits) {
        decide(RateLimiterScratch.of(limit, key), -atLeast(1, hits));
    }

    /** Gives back {@code hits} of {@code key} that were taken and not needed, down to nothing used. */
    public void giveBack(long key, long hits) {
        decide(RateLimiterScratch.of(limit, key), -atLeast(1, hits));
    }

    /** The limit in force. */
    public Limit limit() {
        return limit.limit();
    }

    /**
     * Changes the limit for all keys at once. What they used stays used: if it is higher, the new room is there at once; if
     * it is lower, it binds at once. Another algorithm starts anew, as do a shorter window and other sub-windows.
     */
    public void limit(Limit next) {
        limit = new MeteredLimit(next);
    }

    private boolean decide(RateLimiterScratch scratch, long hits) {
        scratch.checks.get(0).hits = hits;
        return store.decide(scratch.checks, time.micros());
    }

    private MutableVerdict verdict(RateLimiterScratch scratch, long hits) {
        decide(scratch, hits);
        Outcome out = scratch.checks.get(0).outcome;
        Reason reason =
                out.allowed ? Reason.WITHIN_LIMIT : out.retryAfter == Outcome.NEVER ? Reason.NEVER : Reason.OVER_LIMIT;
        return new MutableVerdict()
                .set(null, scratch.limit(), 0, hits, reason, out.remaining, out.reset, out.retryAfter, out.delay);
    }

    private static long atLeast(long least, long hits) {
        if (hits < least) {
            throw new IllegalArgumentException("hits: " + hits + " (expected: >= " + least + ")");
        }
        return hits;
    }

    /** What a limiter needs besides its limit; every part has a default. */
    public static final class Builder {
        private final MeteredLimit limit;
        private int maxKeys = 1_000_000;
        private TimeSource time = TimeSource.system();

        private Builder(Limit limit) {
            this.limit = new MeteredLimit(limit);
        }

        /** How many keys are counted at a time before the least used are forgotten; a million unless said. */
        public Builder maxKeys(int maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
            }
            this.maxKeys = maxKeys;
            return this;
        }

        /** The clock; the system's unless said. Tests give one that they turn themselves. */
        public Builder time(TimeSource time) {
            this.time = Objects.requireNonNull(time, "time");
            return this;
        }

        /** The limiter, with no counter used. */
        public RateLimiter build() {
            return new RateLimiter(this);
        }
    }
}
