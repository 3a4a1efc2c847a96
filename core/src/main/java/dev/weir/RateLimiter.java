package dev.weir;

import dev.weir.internal.store.StoreDescription;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Enforces one limit for any number of keys, each with its own counter. There is no object per key to create or dispose
 * of.
 *
 * <pre>{@code
 * RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(100, Duration.ofSeconds(1)).withBurst(200));
 * if (limiter.tryAcquire("user-42")) {
 *     serve();
 * }
 * }</pre>
 *
 * <h2>Which calls block</h2>
 *
 * <ul>
 *   <li>{@link #tryAcquire} returns yes or no, {@link #check} returns the verdict, {@link #probe} takes nothing, and
 *       {@link #giveBack} returns hits. In memory none of them blocks. With a shared store they wait for its answer,
 *       for the deadline at most; on a Netty event loop they throw.
 *   <li>{@link #checkAsync} never blocks.
 *   <li>{@link #acquire} parks the thread until the hits pass or its timeout ends.
 * </ul>
 *
 * All calls are thread-safe and exact: however many threads call at once, no more hits pass than the limit allows.
 *
 * <h2>Memory</h2>
 *
 * In memory a key takes about 44 bytes of a table while some of its limit is used. Beyond {@link Builder#maxKeys} the
 * limiter evicts the keys that used the smallest share of their limit. {@code tryAcquire} allocates nothing.
 */
public interface RateLimiter extends AutoCloseable {

    /**
     * Creates a limiter that enforces {@code limit} for each key, in the memory of this process. It need not be closed.
     *
     * @throws IllegalArgumentException if the limit cannot be counted exactly; the message says why and what to do
     */
    @CheckReturnValue
    static RateLimiter of(Limit limit) {
        return builder(limit).open();
    }

    /**
     * Opens a limiter that enforces {@code limit} for each key in {@code store}. Every process that opens a limiter of
     * this name on the same store shares its counters. Opening succeeds even if the store is unreachable. Until the
     * store answers, every hit passes and verdicts are {@linkplain Verdict#degraded degraded}; {@link Builder#onFail}
     * changes this.
     *
     * @throws IllegalArgumentException if the limit cannot be counted exactly; the message says why and what to do
     * @throws IllegalStateException if a library that the store needs is missing or too old; the message names the
     *     versions
     */
    @CheckReturnValue
    static RateLimiter open(String name, Limit limit, Store store) {
        return builder(limit).store(name, store).open();
    }

    /** Starts a limiter with its own store, bound on keys, clock or failure policy. */
    static Builder builder(Limit limit) {
        return new Builder(limit);
    }

    /** Takes one hit of {@code key} if it fits, and returns whether it did. */
    @CheckReturnValue
    default boolean tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /** Takes {@code hits} of {@code key} if all of them fit, else none; returns whether they did. */
    @CheckReturnValue
    boolean tryAcquire(String key, long hits);

    /** Takes one hit of {@code key} if it fits, and returns whether it did. */
    @CheckReturnValue
    default boolean tryAcquire(long key) {
        return tryAcquire(key, 1);
    }

    /** Takes {@code hits} of {@code key} if all of them fit, else none; returns whether they did. */
    @CheckReturnValue
    boolean tryAcquire(long key, long hits);

    /** Like {@link #tryAcquire(String)}; the verdict also has the hits left, and the wait if the hit did not fit. */
    @CheckReturnValue
    default Verdict check(String key) {
        return check(key, 1);
    }

    /**
     * Like {@link #tryAcquire(String, long)}; the verdict also has the hits left, and the wait if the hits did not fit.
     */
    @CheckReturnValue
    Verdict check(String key, long hits);

    /** Like {@link #tryAcquire(long)}; the verdict also has the hits left, and the wait if the hit did not fit. */
    @CheckReturnValue
    default Verdict check(long key) {
        return check(key, 1);
    }

    /**
     * Like {@link #tryAcquire(long, long)}; the verdict also has the hits left, and the wait if the hits did not fit.
     */
    @CheckReturnValue
    Verdict check(long key, long hits);

    /**
     * Like {@link #check(String, long)}, but never blocks. The stage completes on this thread or on a thread of the
     * store, so dependent stages must not block.
     */
    @CheckReturnValue
    CompletionStage<Verdict> checkAsync(String key, long hits);

    /** Like {@link #check(long, long)}, but never blocks; see {@link #checkAsync(String, long)}. */
    @CheckReturnValue
    CompletionStage<Verdict> checkAsync(long key, long hits);

    /** Returns whether one hit of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    default Verdict probe(String key) {
        return probe(key, 1);
    }

    /** Returns whether {@code hits} of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    Verdict probe(String key, long hits);

    /** Returns whether one hit of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    default Verdict probe(long key) {
        return probe(key, 1);
    }

    /** Returns whether {@code hits} of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    Verdict probe(long key, long hits);

    /**
     * Takes one hit of {@code key}, waiting until it fits.
     *
     * @see #acquire(String, long, Duration)
     */
    @CheckReturnValue
    default boolean acquire(String key, Duration atMost) throws InterruptedException {
        return acquire(key, 1, atMost);
    }

    /**
     * Takes {@code hits} of {@code key}, <b>waiting until they fit</b>, for {@code atMost} at most. The thread is
     * parked meanwhile; a virtual thread does not hold its carrier. Returns false at once if the hits cannot fit in
     * that time. Waiting threads are not queued: the first thread that asks after the wait gets the hits. With a
     * {@code leaky_bucket} the call also waits for the {@linkplain Verdict#delay delay}.
     *
     * @return whether the hits were taken
     * @throws InterruptedException if the thread is interrupted while it waits; then nothing is taken
     * @throws IllegalStateException on a Netty event loop, which must not block: use {@link #checkAsync}
     */
    @CheckReturnValue
    boolean acquire(String key, long hits, Duration atMost) throws InterruptedException;

    /**
     * Takes one hit of {@code key}, waiting until it fits.
     *
     * @see #acquire(String, long, Duration)
     */
    @CheckReturnValue
    default boolean acquire(long key, Duration atMost) throws InterruptedException {
        return acquire(key, 1, atMost);
    }

    /**
     * Takes {@code hits} of {@code key}, waiting until they fit.
     *
     * @see #acquire(String, long, Duration)
     */
    @CheckReturnValue
    boolean acquire(long key, long hits, Duration atMost) throws InterruptedException;

    /**
     * Gives back {@code hits} of {@code key} that were taken but not needed. The used count does not fall below zero.
     */
    void giveBack(String key, long hits);

    /**
     * Gives back {@code hits} of {@code key} that were taken but not needed. The used count does not fall below zero.
     */
    void giveBack(long key, long hits);

    /** The limit in force. */
    Limit limit();

    /**
     * Changes the limit for all keys at once. Used hits stay used: a higher limit adds room at once, and a lower one
     * binds at once. A change of the algorithm or the sub-windows, or a shorter window, starts with empty counters.
     * Other processes keep their limit.
     *
     * @throws IllegalArgumentException if the limit cannot be counted; the current limit stays in force
     */
    void limit(Limit next);

    /** Closes the connections to a shared store; later calls throw IllegalStateException. In memory it does nothing. */
    @Override
    void close();

    /** Collects the options of a limiter besides its limit; each has a default. */
    final class Builder {
        final Limit limit;
        String name = "";

        @Nullable
        StoreDescription store;

        Duration deadline = Duration.ofMillis(10);
        Duration warmUp = Duration.ofSeconds(10);
        OnFail onFail = OnFail.ALLOW;
        Consistency consistency = Consistency.EXACT;
        int maxKeys = 1_000_000;
        TimeSource time = TimeSource.system();

        private Builder(Limit limit) {
            if (limit.algorithm() == Algorithm.CONCURRENCY) {
                throw new IllegalArgumentException(
                        "limit: concurrency (expected: a rate; a Weir with a rule gives a permit that can be closed)");
            }
            this.limit = Objects.requireNonNull(limit, "limit");
        }

        /**
         * Counts in {@code store}; all limiters with this {@code name} share their counters there. Default: in memory.
         */
        public Builder store(String name, Store store) {
            if (name == null || name.isBlank()) {
                throw new IllegalArgumentException("name: " + name + " (expected: the name that processes share)");
            }
            if (store instanceof StoreDescription described) {
                this.store = described;
            } else if (store == Store.memory()) {
                this.store = null;
            } else {
                throw new IllegalArgumentException(
                        "store: " + store + " (expected: Store.memory(), or a store of Weir's such as RedisStore)");
            }
            this.name = name;
            return this;
        }

        /** Sets how long a call may wait for a shared store; 10 ms by default. */
        public Builder deadline(Duration longest) {
            deadline = Weir.Builder.within("deadline", longest, Duration.of(1, ChronoUnit.MICROS));
            return this;
        }

        /** Sets how long {@link #open} may take to warm up a shared store; see {@link Weir.Builder#warmUp}. */
        public Builder warmUp(Duration atMost) {
            warmUp = Weir.Builder.within("warmUp", atMost, Duration.ZERO);
            return this;
        }

        /** Sets the failure policy while a shared store does not answer; {@link OnFail#ALLOW} by default. */
        public Builder onFail(OnFail onFail) {
            this.onFail = Objects.requireNonNull(onFail, "onFail");
            return this;
        }

        /**
         * Sets how exact the limit is across processes; {@link Consistency#EXACT} by default.
         *
         * @throws IllegalArgumentException for {@link Consistency#LOCAL}: a limiter without a store is local
         */
        public Builder consistency(Consistency consistency) {
            if (consistency == Consistency.LOCAL) {
                throw new IllegalArgumentException("consistency: LOCAL (expected: a limiter without a store)");
            }
            this.consistency = Objects.requireNonNull(consistency, "consistency");
            return this;
        }

        /** Sets how many keys this process counts before it evicts the least used; a million by default. */
        public Builder maxKeys(int maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
            }
            this.maxKeys = maxKeys;
            return this;
        }

        /** Sets the clock; the system clock by default. Tests can pass a manual one. Redis counts by its own clock. */
        public Builder time(TimeSource time) {
            this.time = Objects.requireNonNull(time, "time");
            return this;
        }

        /**
         * Opens the limiter.
         *
         * @throws IllegalArgumentException if the limit cannot be counted exactly; the message says why and what to do
         * @throws IllegalStateException if a library that the store needs is missing or too old; the message names the
         *     versions
         */
        @CheckReturnValue
        public RateLimiter open() {
            StoreDescription shared = store;
            return shared == null ? new MemoryRateLimiter(this) : new SharedRateLimiter(this, shared);
        }
    }
}
