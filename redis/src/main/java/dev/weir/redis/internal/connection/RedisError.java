package dev.weir.redis.internal.connection;

import dev.weir.StoreFailure;

/**
 * An error that Redis replied with.
 *
 * @param error in Redis's words
 */
public record RedisError(StoreFailure failure, String error) {
    public static RedisError of(String error) {
        return new RedisError(RedisFailures.ofError(error), error);
    }

    /** Returns the kind of failure and Redis's words, for people. */
    @Override
    public String toString() {
        return failure.label() + " (" + error + ")";
    }
}
