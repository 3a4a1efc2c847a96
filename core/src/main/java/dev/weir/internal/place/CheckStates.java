package dev.weir.internal.place;

import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.PassRule;

/** How far each check of one request has come: whether it is decided, and what a denial has to give back. */
public final class CheckStates {
    private static final byte OPEN = 0;
    private static final byte SETTLED = 1;
    /** Settled, and its hits were taken: they go back if the request is denied. */
    private static final byte TAKEN = 2;
    /** Settled, and its hits count although the request is denied: they go back only if it should not have been charged again. */
    private static final byte COUNTED = 3;

    private final Places places;
    private byte[] states = new byte[4];
    /** When the hits of each check were sent for: they were taken later. */
    private long[] sentNanos = new long[4];

    private int size;
    private int quotas;

    CheckStates(Places places) {
        this.places = places;
    }

    /** All checks of the next request are open. */
    public void begin() {
        size = places.size();
        if (states.length < size) {
            int length = Math.max(size, states.length * 2);
            states = new byte[length];
            sentNanos = new long[length];
        }
        for (int i = 0; i < size; i++) {
            states[i] = OPEN;
        }
    }

    /** The check at {@code index} is decided, and there is nothing to give back. */
    public void settled(int index) {
        states[index] = SETTLED;
    }

    /** A place has decided {@code check}, the one at {@code index}, which was sent at {@code sent}; its group passed or not. */
    public void decided(int index, Check check, boolean passed, long sent) {
        sentNanos[index] = sent;
        if (check.hits > 0 && counts(check)) {
            states[index] = COUNTED;
        } else if (check.hits > 0 && passed && check.outcome.allowed) {
            states[index] = TAKEN;
        } else {
            states[index] = SETTLED;
        }
    }

    public boolean isOpen(int index) {
        return states[index] == OPEN;
    }

    /** Whether its hits go back: they were taken or, if those should not stay either, {@code counted}. */
    boolean isOwed(int index, boolean counted) {
        return states[index] == TAKEN || (counted && states[index] == COUNTED);
    }

    long sentNanos(int index) {
        return sentNanos[index];
    }

    /** Whether the checks that are decided deny the request, whatever the open ones say. */
    public boolean denied() {
        int seen = PassRule.begin(places.quotaPassed());
        for (int i = 0; i < size; i++) {
            seen = add(seen, i);
        }
        return !PassRule.passes(seen);
    }

    /** Counts the quotas that have passed, or may yet. */
    void countQuotas() {
        quotas = 0;
        for (int i = 0; i < size; i++) {
            quotas += mayPassAsQuota(i) ? 1 : 0;
        }
    }

    /** Whether the quotas among {@code members} cannot deny: another one has passed or may yet, when they were last counted. */
    boolean quotaPassedBeside(int[] members, int count) {
        int others = quotas;
        for (int i = 0; i < count; i++) {
            others -= mayPassAsQuota(members[i]) ? 1 : 0;
        }
        return places.quotaPassed() || others > 0;
    }

    private boolean mayPassAsQuota(int index) {
        return PassRule.quotaPassed(add(0, index));
    }

    private int add(int seen, int index) {
        Check check = places.check(index);
        return PassRule.add(seen, check.role, states[index] != OPEN && !check.outcome.allowed);
    }

    /** Whether its hits count although the request is denied; logs have no way to count what does not fit. */
    static boolean counts(Check check) {
        return check.countsDenied && check.meter instanceof SlotMeter;
    }
}
