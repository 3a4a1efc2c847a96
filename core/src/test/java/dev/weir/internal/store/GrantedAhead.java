package dev.weir.internal.store;

/** Gives a store that decides on the spot what shared stores owe beside that: the hits that a check asks for ahead. */
public final class GrantedAhead {
    private GrantedAhead() {}

    /** Takes what {@code checks}, which have passed, ask for ahead, as far as it fits; the outcomes are as things stand then. */
    public static void take(LocalStore counters, Checks checks, long now) {
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            check.granted = 0;
            if (check.ahead > 0 && check.outcome.allowed) {
                check.granted = Math.min(check.ahead, check(counters, check, 0, now).outcome.remaining);
                Check after = check(counters, check, check.granted, now);
                check.outcome.set(after.outcome);
            }
        }
    }

    private static Check check(LocalStore counters, Check like, long hits, long now) {
        Checks one = new Checks();
        Check check = one.add();
        check.set(like);
        check.hits = hits;
        check.ahead = 0;
        check.role = Check.Role.ENFORCE;
        check.countsDenied = false;
        counters.decide(one, now);
        return check;
    }
}
