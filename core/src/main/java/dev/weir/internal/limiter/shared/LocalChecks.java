package dev.weir.internal.limiter.shared;

import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Check.Role;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;

/**
 * The checks of a request that this process counts by itself. They are asked before the shared ones, taking nothing, for what
 * they deny no store has to be asked; and taken after them, when it is known whether the request passes otherwise. So there is
 * something to give back only if this process ran out of room in between; or with an idempotency key, for then the last shared
 * store has the last word.
 */
final class LocalChecks {
    private final Checks group = new Checks();
    private int[] indices = new int[4];

    /** Asks the local checks of {@code pending}; if they deny it as things stand, they are settled. */
    void deny(InFlightDecision pending, LocalStore store, long now) {
        int size = fill(pending, true);
        boolean counts = false;
        for (int i = 0; i < size; i++) {
            counts |= group.get(i).countsDenied;
            group.get(i).countsDenied = false;
        }
        if (size > 0) {
            decideDenied(store, now);
        }
        boolean denied = false;
        for (int i = 0; i < size; i++) {
            denied |= group.get(i).role == Role.ENFORCE && !group.get(i).outcome.allowed;
        }
        if (!denied) {
            return;
        }
        settle(pending, size);
        if (counts) {
            for (int i = 0; i < size; i++) {
                group.get(i).countsDenied = pending.checks.get(indices[i]).countsDenied;
            }
            store.decide(group, now);
        }
    }

    /** Takes the local checks of {@code pending} that are still open, if nothing denies it. */
    void take(InFlightDecision pending, LocalStore store, long now) {
        take(pending, store, now, fill(pending, true));
    }

    /** As {@link #take(InFlightDecision, LocalStore, long)}, but gives nothing back: a store may yet deny the request, or know it. */
    void takeButRefunds(InFlightDecision pending, LocalStore store, long now) {
        take(pending, store, now, fill(pending, false));
    }

    private void take(InFlightDecision pending, LocalStore store, long now, int size) {
        if (size > 0) {
            group.quotaPassed = pending.progress.quotaPassed(Check.LOCAL);
            boolean passed = false;
            if (pending.progress.denied()) {
                decideDenied(store, now);
            } else {
                passed = store.decide(group, now);
            }
            settle(pending, size);
            for (int i = 0; i < size; i++) {
                pending.progress.decided(indices[i], group.get(i), passed);
            }
        }
    }

    /** Asks the local checks of {@code pending} that are still open, and takes and counts nothing. */
    void ask(InFlightDecision pending, LocalStore store, long now) {
        int size = fill(pending, true);
        for (int i = 0; i < size; i++) {
            group.get(i).countsDenied = false;
        }
        if (size > 0) {
            decideDenied(store, now);
            settle(pending, size);
        }
    }

    /** Returns what was taken of a request that was denied after that or, if so, also what was {@code counted}. */
    void giveBack(InFlightDecision pending, LocalStore store, long now, boolean counted) {
        group.clear();
        for (int i = 0; i < pending.checks.size(); i++) {
            Check check = pending.checks.get(i);
            if (check.store == Check.LOCAL
                    && pending.progress.isOwed(i, counted)
                    && StoreGiveBack.isInTime(check, pending.askedMicros, now, pending.path())) {
                group.add().setReturning(check);
            }
        }
        if (group.size() > 0) {
            store.decide(group, now);
        }
    }

    private int fill(InFlightDecision pending, boolean refunds) {
        Checks checks = pending.checks;
        group.clear();
        if (indices.length < checks.size()) {
            indices = new int[checks.size()];
        }
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.store == Check.LOCAL && pending.progress.isOpen(i) && (refunds || check.hits >= 0)) {
                indices[group.size()] = i;
                group.add().set(check);
            }
        }
        return group.size();
    }

    /** As checks are taken all or none, one that is always over has the others answered and not taken. */
    private void decideDenied(LocalStore store, long now) {
        Check denied = group.add();
        denied.key0 = 0;
        denied.key1 = 0;
        denied.meter = MeteredRules.DENY;
        denied.hits = 1;
        denied.countsDenied = false;
        denied.role = Role.ENFORCE;
        store.decide(group, now);
    }

    private void settle(InFlightDecision pending, int size) {
        for (int i = 0; i < size; i++) {
            pending.checks.get(indices[i]).outcome.set(group.get(i).outcome);
            pending.progress.settled(indices[i]);
        }
    }
}
