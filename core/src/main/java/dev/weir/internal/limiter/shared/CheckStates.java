package dev.weir.internal.limiter.shared;

import dev.weir.internal.store.Check;
import dev.weir.internal.store.Check.Role;
import dev.weir.internal.store.Checks;

/** How far the checks of one request have come: which were answered, and what a denial would have to give back. */
final class CheckStates {
    private static final byte OPEN = 0;
    private static final byte SETTLED = 1;
    /** Settled, and its hits were taken: they go back if the request is denied after all. */
    private static final byte TAKEN = 2;
    /** Settled, and its hits count even if the request is denied: they go back only if it should not have been charged again. */
    private static final byte COUNTED = 3;

    private final Checks checks;
    private byte[] states = new byte[4];
    private boolean anyTaken;

    CheckStates(Checks checks) {
        this.checks = checks;
    }

    void begin() {
        int size = checks.size();
        if (states.length < size) {
            states = new byte[Math.max(size, states.length * 2)];
        }
        for (int i = 0; i < size; i++) {
            states[i] = OPEN;
        }
        anyTaken = false;
    }

    void settled(int index) {
        states[index] = SETTLED;
    }

    /** Notes what became of {@code check}, the one at {@code index}, whose group passed or not. */
    void decided(int index, Check check, boolean passed) {
        if (check.hits > 0 && check.countsDenied) {
            states[index] = COUNTED;
        } else if (check.hits > 0 && passed && check.outcome.allowed) {
            states[index] = TAKEN;
            anyTaken = true;
        } else {
            settled(index);
        }
    }

    boolean isOpen(int index) {
        return states[index] == OPEN;
    }

    /** Whether its hits go back: they were taken or, if that should not be either, {@code counted}. */
    boolean isOwed(int index, boolean counted) {
        return states[index] == TAKEN || (counted && states[index] == COUNTED);
    }

    boolean anyTaken() {
        return anyTaken;
    }

    /** Whether the checks that were settled deny the request, whatever the open ones say. */
    boolean denied() {
        boolean quotaOver = false;
        boolean quotaOk = checks.quotaPassed;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            boolean over = states[i] != OPEN && !check.outcome.allowed;
            if (over && check.role == Role.ENFORCE) {
                return true;
            }
            if (check.role == Role.QUOTA) {
                quotaOver |= over;
                quotaOk |= !over;
            }
        }
        return quotaOver && !quotaOk;
    }

    /**
     * Whether the quotas of the open checks at {@code place}, asked by themselves, cannot deny: another one has passed, or may
     * yet.
     */
    boolean quotaPassed(int place) {
        boolean passed = checks.quotaPassed;
        for (int i = 0; i < checks.size() && !passed; i++) {
            Check check = checks.get(i);
            if (check.role == Role.QUOTA) {
                passed = states[i] == OPEN ? check.store != place || check.hits < 0 : check.outcome.allowed;
            }
        }
        return passed;
    }
}
