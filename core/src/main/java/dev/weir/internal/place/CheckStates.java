package dev.weir.internal.place;

import dev.weir.internal.algorithm.SlotMeter;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.PassRule;

/** The state of each check of one request: whether it is decided, and whether a denial gives its hits back. */
public final class CheckStates {
    private static final byte OPEN = 0;
    private static final byte SETTLED = 1;
    /** Decided, and its hits were taken: they are given back if the request is denied. */
    private static final byte TAKEN = 2;
    /**
     * Decided, and its hits count even if the request is denied: they are given back only if the request is a repeat.
     */
    private static final byte COUNTED = 3;

    private final Places places;
    private byte[] states = new byte[4];
    /** When each check was sent; the place took its hits later than that. */
    private long[] sentNanos = new long[4];

    private int size;
    /** The number of open checks. */
    private int open;

    private int quotas;

    CheckStates(Places places) {
        this.places = places;
    }

    /** Starts the next request: all its checks are open. */
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
        open = size;
    }

    /** Marks the check at {@code index} as decided, with nothing to give back. */
    public void settled(int index) {
        set(index, SETTLED);
    }

    /**
     * Records that a place decided {@code check}, at {@code index}, sent at {@code sent}, and whether its group passed.
     */
    public void decided(int index, Check check, boolean passed, long sent) {
        sentNanos[index] = sent;
        if (check.hits > 0 && counts(check)) {
            set(index, COUNTED);
        } else if (check.hits > 0 && passed && check.outcome.allowed) {
            set(index, TAKEN);
        } else {
            set(index, SETTLED);
        }
    }

    private void set(int index, byte state) {
        open -= states[index] == OPEN ? 1 : 0;
        states[index] = state;
    }

    /** Whether any check is open. */
    boolean anyOpen() {
        return open > 0;
    }

    public boolean isOpen(int index) {
        return states[index] == OPEN;
    }

    /** Whether the hits of the check must be given back: they were taken or, if {@code counted} is set, counted. */
    boolean isOwed(int index, boolean counted) {
        return states[index] == TAKEN || (counted && states[index] == COUNTED);
    }

    long sentNanos(int index) {
        return sentNanos[index];
    }

    /** Whether the decided checks deny the request, whatever the outcome of the open ones. */
    public boolean denied() {
        if (open == size) {
            return false;
        }
        int seen = PassRule.begin(places.quotaPassed());
        for (int i = 0; i < size; i++) {
            seen = add(seen, i);
        }
        return !PassRule.passes(seen);
    }

    /** Counts the quotas that have passed, or still may. */
    void countQuotas() {
        quotas = 0;
        for (int i = 0; i < size; i++) {
            quotas += mayPassAsQuota(i) ? 1 : 0;
        }
    }

    /**
     * Whether the quotas among {@code members} cannot deny, because another quota passed or may pass as of the last
     * count.
     */
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

    /**
     * Whether the hits of {@code check} count even if the request is denied; a log cannot count hits that do not fit.
     */
    public static boolean counts(Check check) {
        return check.countsDenied && check.meter instanceof SlotMeter;
    }
}
