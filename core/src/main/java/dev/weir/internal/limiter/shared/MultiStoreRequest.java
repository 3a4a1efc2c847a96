package dev.weir.internal.limiter.shared;

import dev.weir.StoreFailure;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/**
 * A request whose checks live in several shared stores, asked one after the other. Each takes what its checks need if they all
 * fit and nothing denied the request before; once something has, the others are asked without taking, so that every check has
 * its verdict. What was taken of a request that is denied in the end is {@linkplain StoreGiveBack given back}: for the moment in
 * between the others see less room than there is, never more. What gives hits back denies nothing and could not be undone, so it
 * goes when all else is decided. After the deadline no store is asked any more, and its checks fail.
 *
 * <h2>Idempotency</h2>
 *
 * The store of the last check is asked last, when all else is decided and taken, and keeps the key: so what it keeps was admitted as a
 * whole, and nobody who sends the request again is told of an admission that is taken back. It is asked for the key also if others
 * deny: who sends an admitted request again is told so whatever room there is now. Then what was taken this time goes back, and
 * nothing is refunded again.
 */
final class MultiStoreRequest extends Ask {
    private final InFlightDecision pending;
    private int[] indices = new int[4];
    private int place;
    /** Who is yet to keep the idempotency key, by its place; without a key, nobody in particular. */
    private int keeper;

    private boolean failed;
    /** The key was used before, or its keeper did not say. */
    private boolean mayBeKnown;
    /** All is decided but what gives back. */
    private boolean refunding;

    private final Runnable late = this::answered;

    MultiStoreRequest(InFlightDecision pending) {
        this.pending = pending;
    }

    void start() {
        home = pending.home;
        deadlineNanos = pending.deadlineNanos;
        graceNanos = pending.graceNanos;
        place = -1;
        keeper = pending.idempotency == null ? Check.LOCAL : keeper();
        idempotency = null;
        lookOnly = false;
        repeated = false;
        conflict = false;
        failed = false;
        mayBeKnown = false;
        refunding = false;
        next();
    }

    private void next() {
        SharedPath path = pending.path();
        for (place++; place < path.stores().size(); place++) {
            if (place != keeper && fill() > 0) {
                ask();
                return;
            }
        }
        if (keeper != Check.LOCAL) {
            path.settlement().takeLocal(pending);
            idempotency = pending.idempotency;
            lookOnly = failed || pending.lookOnly;
            place = keeper;
            fill();
            ask();
            return;
        }
        if (!refunding && refunds()) {
            path.settlement().takeLocal(pending);
            refunding = true;
            place = -1;
            next();
            return;
        }
        path.settlement().finish(pending);
    }

    /** Whether a store is to be given something back. */
    private boolean refunds() {
        Checks all = pending.checks;
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).hits < 0 && all.get(i).store != Check.LOCAL && pending.progress.isOpen(i)) {
                return true;
            }
        }
        return false;
    }

    private void ask() {
        denied = mayBeKnown || pending.progress.denied();
        for (int i = 0; denied && i < checks.size(); i++) {
            checks.get(i).ahead = 0; // nothing is taken of what is denied
        }
        SharedPath path = pending.path();
        long left = path.leftNanos(deadlineNanos);
        patienceNanos = left;
        if (left <= 0) {
            for (int i = 0; i < checks.size(); i++) {
                checks.get(i).failure = StoreFailure.TIMEOUT;
            }
            home.execute(late);
        } else {
            path.stores().at(place).decide(this);
        }
    }

    /** The store of the last check that is shared: whatever else happens, it is the same when the request is sent again. */
    private int keeper() {
        int last = Check.LOCAL;
        for (int i = 0; i < pending.checks.size(); i++) {
            int store = pending.checks.get(i).store;
            last = store == Check.LOCAL ? last : store;
        }
        return last;
    }

    private int fill() {
        Checks all = pending.checks;
        checks.clear();
        if (indices.length < all.size()) {
            indices = new int[all.size()];
        }
        for (int i = 0; i < all.size(); i++) {
            Check check = all.get(i);
            boolean goes = check.hits >= 0 || refunding || place == keeper;
            if (check.store == place && goes && pending.progress.isOpen(i)) {
                indices[checks.size()] = i;
                Check copy = checks.add();
                copy.set(check);
                copy.countsDenied &= !mayBeKnown;
            }
        }
        checks.quotaPassed = pending.progress.quotaPassed(place);
        return checks.size();
    }

    @Override
    public void answered() {
        boolean complete = true;
        for (int i = 0; i < checks.size(); i++) {
            Check from = checks.get(i);
            Check to = pending.checks.get(indices[i]);
            complete &= from.failure == null;
            to.failure = from.failure;
            to.outcome.set(from.outcome);
            to.granted = from.granted;
        }
        failed |= !complete;
        pending.path().settlement().settle(pending, this, indices);
        if (idempotency != null) {
            pending.repeated = repeated;
            pending.conflict = conflict;
            mayBeKnown = repeated || conflict || !complete;
            repeated = false;
            conflict = false;
            idempotency = null;
            keeper = Check.LOCAL;
            place = pending.path().stores().size(); // all were asked
        }
        next();
    }
}
