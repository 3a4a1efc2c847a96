package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * How one server of Redis is.
 *
 * @param node host and port, or how it was addressed
 * @param down why a connection to it is missing; null if all are there
 * @param reason the same for people, or what it said last instead of deciding; empty if there is nothing to say
 * @param open whether the breaker is open
 * @param waiting asks that wait for it, or are under way
 */
public record NodeHealth(String node, @Nullable StoreFailure down, String reason, boolean open, int waiting) {

    /** Whether it is asked at all. */
    public boolean serves() {
        return down == null && !open;
    }
}
