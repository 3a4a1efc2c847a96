package dev.weir.internal.store;

import java.util.Arrays;

/** The checks of one request. They are taken all or none, except those that count denied hits. */
public final class Checks {
    private Check[] checks = new Check[0];
    private int size;
    private long[] scratch = new long[0];
    /** Whether a quota rule without a limit has passed, so that the quota rules together cannot deny. */
    public boolean quotaPassed;
    /** The {@linkplain RequestCost cost} of the checks, as far as their creator has counted it. */
    public long cost;

    public void clear() {
        size = 0;
        quotaPassed = false;
        cost = 0;
    }

    /** Adds the next check to fill. */
    public Check add() {
        if (size == checks.length) {
            int old = checks.length;
            checks = Arrays.copyOf(checks, Math.max(1, old * 2));
            for (int i = old; i < checks.length; i++) {
                checks[i] = new Check();
            }
        }
        Check check = checks[size++];
        check.ahead = 0;
        check.lessee = 0;
        check.again = false;
        check.granted = 0;
        check.window = 0;
        check.leased = false;
        check.owed = false;
        check.outcome.debt = 0;
        return check;
    }

    public int size() {
        return size;
    }

    /** For how many checks there are buffers. */
    public int capacity() {
        return checks.length;
    }

    public Check get(int index) {
        return checks[index];
    }

    /** A scratch buffer of at least {@code words} words for a store, so that deciding allocates nothing. */
    public long[] scratch(int words) {
        if (scratch.length < words) {
            scratch = new long[Math.max(words, checks.length)];
        }
        return scratch;
    }

    /** Whether the outcomes let the request pass: no enforced check is over, and not all quota checks are. */
    public boolean allowed() {
        return allow(checks, size, quotaPassed);
    }

    /**
     * Whether the outcomes of the first {@code size} checks let a request pass; {@code quotaPassed} if a quota
     * elsewhere did.
     */
    public static boolean allow(Check[] checks, int size, boolean quotaPassed) {
        int seen = PassRule.begin(quotaPassed);
        for (int i = 0; i < size; i++) {
            seen = PassRule.add(seen, checks[i].role, !checks[i].outcome.allowed);
        }
        return PassRule.passes(seen);
    }
}
