package dev.weir.internal.store;

import java.time.Duration;

/** A shared store that a {@link StoreDescription} opened. */
public interface OpenedStore extends SharedStore {

    /**
     * Runs the way to the store and back until the JVM has compiled it. Blocks, for no longer than {@code atMost}; a store that is away
     * is given up sooner.
     *
     * @return whether the store answered
     */
    boolean warmUp(Duration atMost);

    /** Whether the store can decide whatever it is asked at present. */
    boolean serves();
}
