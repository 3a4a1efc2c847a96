package dev.weir.internal.limiter.shared;

import dev.weir.internal.store.Ask;
import dev.weir.internal.tier.LocalTier;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Returns to one place what it took of a request that was denied elsewhere. It is sent once; if it is lost, the hits
 * count as spent, and the limit errs on the strict side.
 */
final class StoreGiveBack extends Ask {
    private @Nullable LocalTier tier;

    /** Clears the buffer for the next give-back; its result is passed to {@code tier} on {@code home}. */
    void begin(LocalTier tier, Executor home) {
        this.tier = tier;
        this.home = home;
        checks.clear();
        givesBack = true;
    }

    @Override
    public void answered() {
        LocalTier known = tier;
        tier = null;
        for (int i = 0; known != null && i < checks.size(); i++) {
            known.learn(checks.get(i), 0); // who was denied meanwhile may fit now
        }
        InFlightDecisionPool.ofThread().release(this);
    }
}
