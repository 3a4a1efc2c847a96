package dev.weir.internal.store;

import java.time.Duration;

/** A shared store that a {@link StoreDescription} opened. */
public interface OpenedStore extends SharedStore {

    /**
     * Sends requests to the store until the JVM has compiled the path to it and back. Blocks for at most
     * {@code atMost}, and less if the store is unreachable.
     *
     * @return whether the store answered
     */
    boolean warmUp(Duration atMost);

    /** Whether the store can currently decide every ask. */
    boolean serves();
}
