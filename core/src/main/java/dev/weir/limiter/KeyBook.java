package dev.weir.limiter;

import dev.weir.store.Checks;
import dev.weir.store.Idempotency;

/** What this process knows of idempotency keys, and what of shared stores it allows them: lookups, and room. */
final class KeyBook {
    private final NewKeys news = new NewKeys();
    private final KeyLookups lookups = new KeyLookups();
    private final KeyAllowance allowance;
    private final LimiterObserver observer;

    KeyBook(LimiterSettings settings, LimiterObserver observer) {
        this.allowance = new KeyAllowance(settings.keptKeys());
        this.observer = observer;
    }

    /** Whether a store that was asked a moment ago, and not before {@code since}, did not know the key. */
    boolean isNew(Idempotency idempotency, long since, long now) {
        return news.contains(idempotency, since, now);
    }

    /** Whether a store may be asked for the key, though the request is known to be denied. */
    boolean mayLookUp(Idempotency idempotency, long now) {
        return lookups.take(idempotency, now);
    }

    /** A store is asked: the key is only looked up where nothing is charged, so that a repeat is harmless, or where it has no room. */
    void asked(Pending pending, Idempotency idempotency, long now) {
        Checks checks = pending.checks;
        boolean charges = false;
        for (int i = 0; i < checks.size(); i++) {
            charges |= checks.get(i).hits != 0;
        }
        pending.keyTaken = charges ? allowance.take(idempotency, checks.size(), now) : 0;
        pending.keyWithoutRoom = charges && pending.keyTaken == 0;
        pending.lookOnly = pending.keyTaken == 0;
    }

    /** All have answered; {@code again}: the key was known. */
    void answered(Pending pending, Idempotency idempotency, boolean allowed, boolean again) {
        boolean failed = false;
        for (int i = 0; i < pending.checks.size(); i++) {
            failed |= pending.checks.get(i).failure != null;
        }
        if (!allowed || again || failed) {
            allowance.giveBack(pending.keyTaken);
        } else if (pending.keyWithoutRoom) {
            observer.keyNotKept();
        }
        if (allowed || again) {
            news.remove(idempotency);
        } else if (!failed) {
            news.add(idempotency, pending.askedMicros);
        }
    }
}
