package dev.weir.internal.store;

import dev.weir.internal.store.Check.Role;

/**
 * The rule by which the checks of a request let it pass: none that is enforced is over, and not all quotas are; shadows only watch. It
 * adds checks up one by one, in the bits of an {@code int}, so that whoever has only some of them can apply it too.
 */
public final class PassRule {
    private static final int OVER = 1;
    private static final int QUOTA_OVER = 2;
    private static final int QUOTA_PASSED = 4;

    private PassRule() {}

    /** No check was seen; a quota that is not among those to come may have passed. */
    public static int begin(boolean quotaPassed) {
        return quotaPassed ? QUOTA_PASSED : 0;
    }

    /** What was {@code seen}, and a check of this role that is over or not. One that may yet pass is not. */
    public static int add(int seen, Role role, boolean over) {
        if (role == Role.QUOTA) {
            return seen | (over ? QUOTA_OVER : QUOTA_PASSED);
        }
        return over && role == Role.ENFORCE ? seen | OVER : seen;
    }

    public static boolean passes(int seen) {
        return (seen & OVER) == 0 && (seen & (QUOTA_OVER | QUOTA_PASSED)) != QUOTA_OVER;
    }

    /** Whether a quota has passed, or may: then no other quota can deny. */
    public static boolean quotaPassed(int seen) {
        return (seen & QUOTA_PASSED) != 0;
    }
}
