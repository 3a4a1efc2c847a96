package dev.weir.internal.place;

import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/**
 * The checks of one request that this process counts by itself. They are asked for before all others, taking nothing, for what they deny
 * no store has to be asked; and taken after them, when it is known whether the request passes otherwise. Among them are those whose store
 * failed, where the owner counts them here instead.
 */
final class LocalPlace {
    private final Places places;
    private final CheckStates states;
    private final Checks group = new Checks();
    private int[] indices = new int[4];

    LocalPlace(Places places, CheckStates states) {
        this.places = places;
        this.states = states;
    }

    /** Asks for its checks and takes nothing; if that denies the request, they are decided. */
    void probe() {
        int count = fill(true);
        if (count == 0) {
            return;
        }
        boolean anyCounts = false;
        for (int i = 0; i < count; i++) {
            anyCounts |= group.get(i).countsDenied;
            group.get(i).countsDenied = false;
        }
        places.decideHere(group, true);
        boolean denied = false;
        for (int i = 0; i < count; i++) {
            denied |= group.get(i).role == Check.Role.ENFORCE && !group.get(i).outcome.allowed;
        }
        if (!denied) {
            return;
        }
        settle(count);
        if (anyCounts) {
            for (int i = 0; i < count; i++) {
                group.get(i).countsDenied = places.check(indices[i]).countsDenied;
            }
            places.decideHere(group, true);
        }
    }

    /**
     * Takes the checks that are still open, with or without what gives hits back; if the request is {@code denied}, only what counts when
     * denied takes anything.
     */
    void take(boolean refunds, boolean denied) {
        int count = fill(refunds);
        if (count > 0) {
            states.countQuotas();
            group.quotaPassed = states.quotaPassedBeside(indices, count);
            long now = places.nanos();
            boolean passed = places.decideHere(group, denied) && !denied;
            settle(count);
            for (int i = 0; i < count; i++) {
                states.decided(indices[i], group.get(i), passed, now);
            }
        }
    }

    /** Asks for the checks that are still open, and takes and counts nothing. */
    void ask() {
        int count = fill(true);
        if (count > 0) {
            for (int i = 0; i < count; i++) {
                group.get(i).countsDenied = false;
            }
            places.decideHere(group, true);
            settle(count);
        }
    }

    private int fill(boolean refunds) {
        group.clear();
        if (indices.length < places.size()) {
            indices = new int[places.size()];
        }
        for (int i = 0; i < places.size(); i++) {
            Check check = places.check(i);
            if (places.isHere(check) && states.isOpen(i) && (refunds || check.hits >= 0)) {
                indices[group.size()] = i;
                group.add().set(check);
            }
        }
        return group.size();
    }

    private void settle(int count) {
        for (int i = 0; i < count; i++) {
            places.check(indices[i]).outcome.set(group.get(i).outcome);
            states.settled(indices[i]);
        }
    }
}
