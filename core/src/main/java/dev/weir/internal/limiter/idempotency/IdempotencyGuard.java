package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.Idempotency;

/** Guards the use of idempotency keys: how often they are looked up, and how many are kept. */
public final class IdempotencyGuard {
    /** Returned by {@link #asked} if the key is not kept because the budget is used up. */
    private static final long NO_ROOM = -1;

    private final IdempotencyLookupLimit lookups = new IdempotencyLookupLimit();
    private final IdempotencyKeyBudget budget;
    private final LimiterObserver observer;

    public IdempotencyGuard(LimiterSettings settings, LimiterObserver observer) {
        this.budget = new IdempotencyKeyBudget(settings.keptKeys());
        this.observer = observer;
    }

    /** Whether a store may be asked for the key, though the request is known to be denied. */
    public boolean mayLookUp(Idempotency idempotency, long now) {
        return lookups.take(idempotency, now);
    }

    /**
     * Prepares the key of an ask. It is only looked up, not kept, if nothing is charged, so that a repeat is harmless,
     * or if the budget is used up.
     *
     * @return the amount taken from the budget, to be passed to {@link #answered}
     */
    public long asked(Ask ask, Idempotency idempotency, long now) {
        Checks checks = ask.checks;
        boolean charges = false;
        for (int i = 0; i < checks.size(); i++) {
            charges |= checks.get(i).hits != 0;
        }
        long taken = charges ? budget.take(idempotency, checks.size(), now) : 0;
        ask.lookOnly = taken == 0;
        return charges && taken == 0 ? NO_ROOM : taken;
    }

    /** Records the answers of all stores to an ask; {@code again} if the key was known. */
    public void answered(Ask ask, long taken, boolean allowed, boolean again) {
        boolean failed = false;
        for (int i = 0; i < ask.checks.size(); i++) {
            failed |= ask.checks.get(i).failure != null;
        }
        if (!allowed || again || failed) {
            budget.giveBack(Math.max(0, taken));
        } else if (taken == NO_ROOM) {
            observer.keyNotKept();
        }
    }
}
