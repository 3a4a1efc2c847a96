package dev.weir;

import dev.weir.internal.store.StoreDescription;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One limit for any number of keys, each counted on its own; there is no object per key to create, keep or drop.
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
 *   <li>{@link #tryAcquire} answers yes or no, {@link #check} returns the verdict, {@link #probe} takes nothing, {@link #giveBack} returns
 *       hits. In memory none of them blocks. With a shared store they wait for it, for the deadline at most, and refuse on an event loop of
 *       Netty.
 *   <li>{@link #checkAsync} never blocks.
 *   <li>{@link #acquire} parks the thread until the hits pass, for as long as it is told at most.
 * </ul>
 *
 * All are safe from any thread, and exact: of many threads at once, no more pass than the limit says.
 *
 * <h2>Memory</h2>
 *
 * In memory a key takes some 44 bytes of a table while it has something used. Beyond {@link Builder#maxKeys} the limiter forgets the keys
 * first that used the least share of their limit. {@code tryAcquire} allocates nothing.
 */
public interface RateLimiter extends AutoCloseable {

    /**
     * A limiter that holds each key to {@code limit}, in the memory of this process. It need not be closed.
     *
     * @throws IllegalArgumentException if the limit cannot be counted exactly; the message says why and what to do
     */
    @CheckReturnValue
    static RateLimiter of(Limit limit) {
        return builder(limit).open();
    }

    /**
     * Opens a limiter that holds each key to {@code limit} in {@code store}. Every process that opens a limiter of this name on the same
     * store counts in the same counters. A store that is away is no reason to fail: until it answers every hit passes, and verdicts are
     * {@linkplain Verdict#degraded degraded}; {@link Builder#onFail} chooses otherwise.
     *
     * @throws IllegalArgumentException if the limit cannot be counted exactly; the message says why and what to do
     * @throws IllegalStateException if a library that the store needs is missing or too old; the message names the versions
     */
    @CheckReturnValue
    static RateLimiter open(String name, Limit limit, Store store) {
        return builder(limit).store(name, store).open();
    }

    /** Starts a limiter with a store, a bound on keys, a clock or a failure policy of its own. */
    static Builder builder(Limit limit) {
        return new Builder(limit);
    }

    /** Takes one hit of {@code key} if it fits. */
    @CheckReturnValue
    default boolean tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /** Takes {@code hits} of {@code key} if all of them fit, else none. */
    @CheckReturnValue
    boolean tryAcquire(String key, long hits);

    /** Takes one hit of {@code key} if it fits. */
    @CheckReturnValue
    default boolean tryAcquire(long key) {
        return tryAcquire(key, 1);
    }

    /** Takes {@code hits} of {@code key} if all of them fit, else none. */
    @CheckReturnValue
    boolean tryAcquire(long key, long hits);

    /** As {@link #tryAcquire(String)}, and says what is left, and when the hit would fit if it did not. */
    @CheckReturnValue
    default Verdict check(String key) {
        return check(key, 1);
    }

    /** As {@link #tryAcquire(String, long)}, and says what is left, and when the hits would fit if they did not. */
    @CheckReturnValue
    Verdict check(String key, long hits);

    /** As {@link #tryAcquire(long)}, and says what is left, and when the hit would fit if it did not. */
    @CheckReturnValue
    default Verdict check(long key) {
        return check(key, 1);
    }

    /** As {@link #tryAcquire(long, long)}, and says what is left, and when the hits would fit if they did not. */
    @CheckReturnValue
    Verdict check(long key, long hits);

    /**
     * As {@link #check(String, long)}, and never blocks. It completes on this thread or on one of the store's, so the stages that follow
     * must not block.
     */
    @CheckReturnValue
    CompletionStage<Verdict> checkAsync(String key, long hits);

    /** As {@link #check(long, long)}, and never blocks; see {@link #checkAsync(String, long)}. */
    @CheckReturnValue
    CompletionStage<Verdict> checkAsync(long key, long hits);

    /** Whether one hit of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    default Verdict probe(String key) {
        return probe(key, 1);
    }

    /** Whether {@code hits} of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    Verdict probe(String key, long hits);

    /** Whether one hit of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    default Verdict probe(long key) {
        return probe(key, 1);
    }

    /** Whether {@code hits} of {@code key} would fit now; takes nothing. */
    @CheckReturnValue
    Verdict probe(long key, long hits);

    /**
     * Takes one hit of {@code key}, and waits until it fits.
     *
     * @see #acquire(String, long, Duration)
     */
    @CheckReturnValue
    default boolean acquire(String key, Duration atMost) throws InterruptedException {
        return acquire(key, 1, atMost);
    }

    /**
     * Takes {@code hits} of {@code key}, and <b>waits until they fit</b>, for {@code atMost} at most. The thread is parked meanwhile, a
     * virtual thread without holding its carrier. It returns false at once where the hits cannot fit in that time. Waiting threads are not
     * queued: whoever asks first after the wait gets the hits. A {@code leaky_bucket} is waited for as long as its {@linkplain
     * Verdict#delay delay} says.
     *
     * @return whether the hits were taken
     * @throws InterruptedException if the thread is interrupted while it waits; then nothing is taken
     * @throws IllegalStateException on an event loop of Netty, which must not wait: see {@link #checkAsync}
     */
    @CheckReturnValue
    boolean acquire(String key, long hits, Duration atMost) throws InterruptedException;

    /**
     * Takes one hit of {@code key}, and waits until it fits.
     *
     * @see #acquire(String, long, Duration)
     */
    @CheckReturnValue
    default boolean acquire(long key, Duration atMost) throws InterruptedException {
        return acquire(key, 1, atMost);
    }

    /**
     * Takes {@code hits} of {@code key}, and waits until they fit.
     *
     * @see #acquire(String, long, Duration)
     */
    @CheckReturnValue
    boolean acquire(long key, long hits, Duration atMost) throws InterruptedException;

    /** Gives back {@code hits} of {@code key} that were taken and not needed, down to nothing used. */
    void giveBack(String key, long hits);

    /** Gives back {@code hits} of {@code key} that were taken and not needed, down to nothing used. */
    void giveBack(long key, long hits);

    /** The limit in force. */
    Limit limit();

    /**
     * Changes the limit for all keys at once. What they used stays used: if it is higher, the new room is there at once; if it is lower, it
     * binds at once. Another algorithm starts anew, as do a shorter window and other sub-windows. Other processes keep their limit.
     *
     * @throws IllegalArgumentException if the limit cannot be counted; the last one stays
     */
    void limit(Limit next);

    /** Closes the connections to a shared store; later calls throw IllegalStateException. In memory there is nothing to close. */
    @Override
    void close();

    /** Everything that a limiter needs besides its limit; all of it has a default. */
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
            this.limit = Objects.requireNonNull(limit, "limit");
        }

        /** Counts in {@code store}, in the counters that all limiters called {@code name} share there; in memory unless said. */
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

        /** How long a call may wait for a shared store; 10 ms unless said. */
        public Builder deadline(Duration longest) {
            deadline = Weir.Builder.within("deadline", longest, Duration.of(1, ChronoUnit.MICROS));
            return this;
        }

        /** How long {@link #open} may take until the way to a shared store is warm; see {@link Weir.Builder#warmUp}. */
        public Builder warmUp(Duration atMost) {
            warmUp = Weir.Builder.within("warmUp", atMost, Duration.ZERO);
            return this;
        }

        /** What decides while a shared store does not answer; {@link OnFail#ALLOW} unless said. */
        public Builder onFail(OnFail onFail) {
            this.onFail = Objects.requireNonNull(onFail, "onFail");
            return this;
        }

        /**
         * How exact the limit is over several processes; {@link Consistency#EXACT} unless said.
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

        /** How many keys this process counts at a time before it forgets the least used; a million unless said. */
        public Builder maxKeys(int maxKeys) {
            if (maxKeys < 1) {
                throw new IllegalArgumentException("maxKeys: " + maxKeys + " (expected: >= 1)");
            }
            this.maxKeys = maxKeys;
            return this;
        }

        /** The clock; the system's unless said. Tests give one that they turn themselves. Redis counts by its own. */
        public Builder time(TimeSource time) {
            this.time = Objects.requireNonNull(time, "time");
            return this;
        }

        /**
         * Opens the limiter.
         *
         * @throws IllegalArgumentException if the limit cannot be counted exactly; the message says why and what to do
         * @throws IllegalStateException if a library that the store needs is missing or too old; the message names the versions
         */
        @CheckReturnValue
        public RateLimiter open() {
            StoreDescription shared = store;
            return shared == null ? new MemoryRateLimiter(this) : new SharedRateLimiter(this, shared);
        }
    }
}
