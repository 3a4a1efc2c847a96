package dev.weir.internal.store;

import dev.weir.Store;
import java.time.Duration;

/** A shared store as a user of the library describes it; whoever it is given to opens it. */
public interface StoreDescription extends Store {

    /**
     * Opens the store, which connects in the background. A store that is away is no reason to fail.
     *
     * @param deadline how long an answer is waited for where an ask does not say
     * @throws IllegalArgumentException if the description cannot be used
     * @throws IllegalStateException if the libraries that it needs are missing, or too old; the message names their versions
     */
    OpenedStore open(Duration deadline);
}
