package dev.weir.internal.limiter.shared;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.tier.LocalTier;
import org.jspecify.annotations.Nullable;

/**
 * Returns to one store what it took of a request that was denied elsewhere. It is sent once; if it is lost, the hits count as
 * spent, and the limit errs on the strict side.
 */
final class StoreGiveBack extends Ask {
    private @Nullable LocalTier tier;

    /** Returns what {@code pending} took or, if so, also {@code counted}, at {@code now}; how many checks that were. */
    static int of(InFlightDecision pending, long now, boolean counted) {
        SharedPath path = pending.path();
        int sent = 0;
        for (int place = 0; place < path.stores().size(); place++) {
            sent += send(pending, place, now, counted);
        }
        return sent;
    }

    private static int send(InFlightDecision pending, int place, long now, boolean counted) {
        SharedPath path = pending.path();
        StoreGiveBack giveBack = null;
        for (int i = 0; i < pending.checks.size(); i++) {
            Check check = pending.checks.get(i);
            if (check.store == place
                    && pending.progress.isOwed(i, counted)
                    && isInTime(check, pending.askedMicros, now, path)) {
                if (giveBack == null) {
                    giveBack = InFlightDecisionPool.ofThread().giveBack();
                    giveBack.checks.clear();
                    giveBack.tier = path.tier();
                }
                giveBack.checks.add().setReturning(check);
            }
        }
        if (giveBack == null) {
            return 0;
        }
        int checks = giveBack.checks.size();
        giveBack.home = pending.home;
        giveBack.deadlineNanos = path.deadlineNanos(path.settings().deadlineMicros());
        path.stores().at(place).decide(giveBack);
        return checks;
    }

    /** Whether what {@code check} took at {@code asked} and later comes back in time if it is sent at {@code now}. */
    static boolean isInTime(Check check, long asked, long now, SharedPath path) {
        return check.returnableNanos((now - asked) * 1_000) > path.settings().deadlineMicros() * 1_000;
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
