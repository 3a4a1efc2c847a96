package dev.weir.limiter;

import dev.weir.model.Algorithm;
import dev.weir.model.Limit;
import dev.weir.store.Ask;
import dev.weir.store.Check;

/**
 * Returns to one store what it took of a request that was denied elsewhere. It is sent once; if it is lost, the hits count as
 * spent, and the limit errs on the strict side.
 */
final class GiveBack extends Ask {

    /** Returns what {@code pending} took or, if so, also {@code counted}, at {@code now}; how many checks that were. */
    static int of(Pending pending, long now, boolean counted) {
        SharedPath path = pending.path();
        int sent = 0;
        for (int place = 0; place < path.stores().size(); place++) {
            sent += send(pending, place, now, counted);
        }
        return sent;
    }

    private static int send(Pending pending, int place, long now, boolean counted) {
        SharedPath path = pending.path();
        GiveBack giveBack = null;
        for (int i = 0; i < pending.checks.size(); i++) {
            Check check = pending.checks.get(i);
            if (check.store == place
                    && pending.progress.isOwed(i, counted)
                    && isInTime(check, pending.askedMicros, now, path)) {
                if (giveBack == null) {
                    giveBack = PendingPool.ofThread().giveBack();
                    giveBack.checks.clear();
                }
                write(giveBack.checks.add(), check);
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

    /** Fills {@code back} with what returns what {@code check} took. */
    static void write(Check back, Check check) {
        back.set(check);
        back.hits = -check.hits;
        back.ahead = 0;
        back.role = Check.Role.SHADOW;
    }

    /**
     * Whether the window that the hits were taken from is still the current one when this arrives, at the latest: given back
     * to the next one, they would let more pass there than its limit.
     */
    static boolean isInTime(Check check, long asked, long now, SharedPath path) {
        if (check.meter == null) {
            return false;
        }
        Limit limit = check.meter.limit();
        long ends = asked + check.outcome.reset;
        if (limit.algorithm() == Algorithm.SLIDING_WINDOW && limit.subWindows() == 1) {
            ends -= limit.windowMicros();
        } else if (limit.algorithm() != Algorithm.FIXED_WINDOW) {
            return true;
        }
        return ends - now > path.settings().deadlineMicros();
    }

    @Override
    public void answered() {
        PendingPool.ofThread().release(this);
    }
}
