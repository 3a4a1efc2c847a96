package dev.weir.server.metrics;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.util.Locale;
import java.util.Set;

/** Where a request was decided, which is what its latency depends on. */
enum DecidedBy {
    /** A ban decided. */
    BAN(0),
    /** The counters are in the memory of this process. */
    MEMORY(1),
    /** This process knew without asking that a shared counter has no room. */
    DENIAL(2),
    /** Leases paid for all shared counters. */
    LEASE(3),
    /** A shared store was asked, and answered. */
    STORE(4),
    /** A shared store did not answer, and {@code on_fail} decided. */
    POLICY(5);

    private final int index;

    DecidedBy(int index) {
        this.index = index;
    }

    /** Its place in arrays. */
    int index() {
        return index;
    }

    /** The value of the label. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns where {@code decision} was made; {@code sharedStores} are the names of the stores of other processes. */
    static DecidedBy of(MutableDecision decision, Set<String> sharedStores) {
        if (decision.ban() != null) {
            return BAN;
        }
        DecidedBy here = MEMORY;
        for (int i = 0, checks = decision.size(); i < checks; i++) {
            MutableVerdict verdict = decision.verdict(i);
            if (verdict.degraded()) {
                return POLICY;
            }
            Rule rule = verdict.rule();
            if (verdict.leased()) {
                here = LEASE;
            } else if (!verdict.allowed() && rule != null && sharedStores.contains(rule.store())) {
                here = DENIAL;
            }
        }
        // Only a decision that waited for a store was made later than it was asked for.
        return decision.askedMicros() != decision.nowMicros() ? STORE : here;
    }
}
