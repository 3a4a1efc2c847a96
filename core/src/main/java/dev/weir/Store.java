package dev.weir;

/**
 * Describes where counters live: in the memory of this process, or in a store that several processes share, such as
 * {@code dev.weir.redis.RedisStore}.
 *
 * <p>A store is a description and opens nothing. The {@link Weir} or {@link RateLimiter} that receives it opens the
 * connections, and closes them when it is closed. Several of them may use one description.
 */
public interface Store {

    /** The memory of this process. */
    static Store memory() {
        return OpenedWeir.ProcessMemory.INSTANCE;
    }
}
