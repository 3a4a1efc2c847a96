package dev.weir.internal.place;

import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;

/**
 * The checks of one request that this process counts itself. They are first probed without taking, because a local
 * denial makes the stores unnecessary. They take last, when the other places have decided. Checks whose store failed
 * are among them if the owner counts them here instead.
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

    /** Evaluates the checks without taking; if they deny the request, they are decided. */
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
        if (anyCounts) {
            for (int i = 0; i < count; i++) {
                group.get(i).countsDenied = places.check(indices[i]).countsDenied;
            }
            places.decideHere(group, true);
        }
        settle(count);
    }

    /**
     * Takes the checks that are still open, with or without those that give hits back. If the request is
     * {@code denied}, only checks that count denied hits take.
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

    /** Evaluates the checks that are still open; takes and counts nothing. */
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
