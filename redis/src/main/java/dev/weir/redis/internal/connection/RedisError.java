package dev.weir.redis.internal.connection;

import dev.weir.StoreFailure;

/**
 * What Redis said instead of deciding.
 *
 * @param error in its own words
 */
public record RedisError(StoreFailure failure, String error) {
    public static RedisError of(String error) {
        return new RedisError(RedisFailures.ofError(error), error);
    }

    /** For people. */
    @Override
    public String toString() {
        return failure.label() + " (" + error + ")";
    }
}
