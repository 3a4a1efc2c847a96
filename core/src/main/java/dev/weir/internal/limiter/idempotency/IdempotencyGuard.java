package dev.weir.internal.limiter.idempotency;

import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.Idempotency;

/** What this process knows of idempotency keys, and what of shared stores it allows them: lookups, and room. */
public final class IdempotencyGuard {
    /** Returned by {@link #asked} where the key is not kept because the allowance is used up. */
    private static final long NO_ROOM = -1;

    private final UnknownIdempotencyKeys news = new UnknownIdempotencyKeys();
    private final IdempotencyLookupLimit lookups = new IdempotencyLookupLimit();
    private final IdempotencyKeyBudget allowance;
    private final LimiterObserver observer;

    public IdempotencyGuard(LimiterSettings settings, LimiterObserver observer) {
        this.allowance = new IdempotencyKeyBudget(settings.keptKeys());
        this.observer = observer;
    }

    /** Whether a store that was asked a moment ago, and not before {@code since}, did not know the key. */
    public boolean isNew(Idempotency idempotency, long since, long now) {
        return news.contains(idempotency, since, now);
    }

    /** Whether a store may be asked for the key, though the request is known to be denied. */
    public boolean mayLookUp(Idempotency idempotency, long now) {
        return lookups.take(idempotency, now);
    }

    /**
     * A store is asked: the key is only looked up where nothing is charged, so that a repeat is harmless, or where it has no room.
     *
     * @return what was taken of the allowance, to be handed to {@link #answered}
     */
    public long asked(Ask ask, Idempotency idempotency, long now) {
        Checks checks = ask.checks;
        boolean charges = false;
        for (int i = 0; i < checks.size(); i++) {
            charges |= checks.get(i).hits != 0;
        }
        long taken = charges ? allowance.take(idempotency, checks.size(), now) : 0;
        ask.lookOnly = taken == 0;
        return charges && taken == 0 ? NO_ROOM : taken;
    }

    /** All have answered what was asked at {@code askedMicros}; {@code again}: the key was known. */
    public void answered(
            Ask ask, Idempotency idempotency, long taken, long askedMicros, boolean allowed, boolean again) {
        boolean failed = false;
        for (int i = 0; i < ask.checks.size(); i++) {
            failed |= ask.checks.get(i).failure != null;
        }
        if (!allowed || again || failed) {
            allowance.giveBack(Math.max(0, taken));
        } else if (taken == NO_ROOM) {
            observer.keyNotKept();
        }
        if (allowed || again) {
            news.remove(idempotency);
        } else if (!failed) {
            news.add(idempotency, askedMicros);
        }
    }
}
