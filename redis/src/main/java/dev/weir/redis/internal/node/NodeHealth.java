package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * The health of one Redis server.
 *
 * @param node host and port, or the address if it has none
 * @param down why a connection is down; null if all are up
 * @param reason the same for people, or Redis's last error; empty if there is none
 * @param open whether the breaker is open
 * @param waiting the number of asks that wait or are in flight
 */
public record NodeHealth(String node, @Nullable StoreFailure down, String reason, boolean open, int waiting) {

    /** Returns whether asks are sent to it. */
    public boolean serves() {
        return down == null && !open;
    }
}
