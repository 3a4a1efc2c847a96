package dev.weir.internal.limiter;

import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.LocalStore;

/**
 * Decides the checks of a shadow banned request: all of them pass, with plausible numbers, and none is charged. Counters
 * of shared stores are not asked; their numbers are those of an unused counter.
 */
final class Pretence {
    private Pretence() {}

    static void decide(Checks checks, LocalStore store, long nowMicros) {
        int real = checks.size();
        for (int i = 0; i < real; i++) {
            Check check = checks.get(i);
            check.store = Check.LOCAL;
            check.countsDenied = false;
        }
        // Checks are taken all or none: beside one that never passes, the others are evaluated and not taken.
        Check never = checks.add();
        never.key0 = 0;
        never.key1 = 0;
        never.meter = MeteredRules.DENY;
        never.hits = 1;
        never.countsDenied = false;
        never.failure = null;
        never.store = Check.LOCAL;
        never.role = Check.Role.ENFORCE;
        store.decide(checks, nowMicros);
        for (int i = 0; i < real; i++) {
            pass(checks.get(i));
        }
    }

    private static void pass(Check check) {
        check.outcome.allowed = true;
        check.outcome.remaining = Math.max(0, check.outcome.remaining - Math.max(0, check.hits));
        check.outcome.retryAfter = 0;
        check.outcome.delay = 0;
    }
}
