package dev.weir.internal.store;

import dev.weir.internal.store.Check.Role;

/**
 * The rule by which checks let a request pass: no enforced check is over, and not all quotas are over; shadow checks
 * never deny. It accumulates checks one by one in the bits of an {@code int}, so it also works on a part of the checks.
 */
public final class PassRule {
    private static final int OVER = 1;
    private static final int QUOTA_OVER = 2;
    private static final int QUOTA_PASSED = 4;

    private PassRule() {}

    /**
     * Returns the state before the first check; {@code quotaPassed} if a quota outside these checks has passed or may
     * pass.
     */
    public static int begin(boolean quotaPassed) {
        return quotaPassed ? QUOTA_PASSED : 0;
    }

    /** Adds a check to {@code seen}. A check that may still pass counts as not over. */
    public static int add(int seen, Role role, boolean over) {
        if (role == Role.QUOTA) {
            return seen | (over ? QUOTA_OVER : QUOTA_PASSED);
        }
        return over && role == Role.ENFORCE ? seen | OVER : seen;
    }

    public static boolean passes(int seen) {
        return (seen & OVER) == 0 && (seen & (QUOTA_OVER | QUOTA_PASSED)) != QUOTA_OVER;
    }

    /** Whether a quota has passed or may pass, so that no other quota can deny. */
    public static boolean quotaPassed(int seen) {
        return (seen & QUOTA_PASSED) != 0;
    }
}
