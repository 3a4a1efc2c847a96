package dev.weir.internal.store;

import dev.weir.Store;
import java.time.Duration;

/** A shared store as a user of the library describes it; the limiter that receives it opens it. */
public interface StoreDescription extends Store {

    /**
     * Opens the store, which connects in the background. Opening succeeds even if the store is unreachable.
     *
     * @param deadline how long to wait for an answer, unless an ask has its own deadline
     * @throws IllegalArgumentException if the description cannot be used
     * @throws IllegalStateException if the libraries that it needs are missing or too old; the message names their
     *     versions
     */
    OpenedStore open(Duration deadline);
}
