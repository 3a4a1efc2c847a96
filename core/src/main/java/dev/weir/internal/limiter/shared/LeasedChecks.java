package dev.weir.internal.limiter.shared;

import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.counter.CounterKey;
import dev.weir.internal.lease.Lease;
import dev.weir.internal.lease.LeasedCounter;
import dev.weir.internal.lease.Leases;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a request that leases may pay for. Hits that a lease covers are taken from it first, and the stores are
 * asked for the rest. If the request is denied, the hits go back into the lease they came from.
 */
final class LeasedChecks {
    private final CounterKey key = new CounterKey();
    private @Nullable LeasedCounter[] counters = new LeasedCounter[4];
    private @Nullable Lease[] taken = new Lease[4];
    private int size;

    /** Finds the checks of {@code pending} whose counters are busy here; returns whether there are any. */
    boolean find(InFlightDecision pending, Leases leases, long now) {
        Checks checks = pending.checks;
        begin(checks.size());
        boolean any = false;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.store != Check.LOCAL && check.hits >= 0 && rule(pending, check) != null) {
                counters[i] = leases.find(check, key, now);
                any |= counters[i] != null;
            }
        }
        return any;
    }

    private void begin(int checks) {
        if (counters.length < checks) {
            counters = new LeasedCounter[checks];
            taken = new Lease[checks];
        }
        size = checks;
    }

    /** The rule of {@code check} if its hits are leased. */
    private static @Nullable Rule rule(InFlightDecision pending, Check check) {
        Rule rule = pending.matches.get(check.about).rule();
        return rule != null && pending.rules().isLeased(rule) ? rule : null;
    }

    /** Whether a lease covers the check at {@code index} at the moment. */
    boolean covers(int index, Check check, long now) {
        LeasedCounter counter = index < size ? counters[index] : null;
        return counter != null && counter.covers(check.hits, now);
    }

    /**
     * Whether the check at {@code index}, which no lease covers, belongs to an exhausted counter that is not asked now.
     */
    boolean rests(int index, Check check, long now) {
        LeasedCounter counter = index < size ? counters[index] : null;
        return counter != null && counter.rests(check, now);
    }

    /**
     * Takes the hits that leases cover; returns whether any did. The other checks stay open. If the request is
     * {@code denied}, only checks that count denied hits take.
     */
    boolean take(InFlightDecision pending, long now, boolean denied) {
        boolean any = false;
        for (int i = 0; i < size; i++) {
            LeasedCounter counter = counters[i];
            Check check = pending.checks.get(i);
            boolean takes = pending.states.isOpen(i) && (!denied || check.countsDenied);
            Lease lease = counter == null || !takes ? null : counter.take(check.hits, now);
            if (counter != null && lease != null) {
                taken[i] = lease;
                counter.tell(check.outcome, now);
                check.leased = true;
                check.failure = null;
                pending.states.settled(i);
                any = true;
            }
        }
        return any;
    }

    /** Adds lease requests to the checks that the stores are asked for. */
    void askAhead(InFlightDecision pending, long now) {
        for (int i = 0; i < size; i++) {
            LeasedCounter counter = counters[i];
            Check check = pending.checks.get(i);
            if (counter != null && taken[i] == null && check.hits > 0) {
                check.ahead = counter.ahead(check.hits, now);
            }
        }
    }

    /** Records a store's answer {@code from} to the check at {@code index}, of which {@code hits} were taken. */
    void answered(InFlightDecision pending, int index, Check from, long hits, Leases leases) {
        if (index >= size) {
            return;
        }
        Check check = pending.checks.get(index);
        LeasedCounter counter = counters[index];
        if (counter != null) {
            // The check that was sent may have asked for less. No other thread asks for a lease until this answer is
            // recorded.
            long sent = from.ahead;
            from.ahead = check.ahead;
            counter.answered(from, hits, pending.askedNanos);
            from.ahead = sent;
            if (from.failure == null && from.outcome.allowed) {
                check.outcome.remaining = counter.remaining();
            } else if (from.failure == null && from.outcome.retryAfter != Outcome.NEVER) {
                check.outcome.retryAfter = Math.max(from.outcome.retryAfter, counter.restLeft(pending.askedNanos));
            }
        } else if (hits > 0 && from.failure == null) {
            Rule rule = rule(pending, check);
            if (rule != null) {
                leases.seen(from, rule, hits, pending.askedNanos);
            }
        }
    }

    /**
     * Puts hits back because the request is denied. Hits that count when denied go back only if {@code counted}:
     * nothing was decided.
     */
    void putBack(InFlightDecision pending, long now, boolean counted) {
        for (int i = 0; i < size; i++) {
            LeasedCounter counter = counters[i];
            Lease lease = taken[i];
            Check check = pending.checks.get(i);
            if (counter != null && lease != null && check.hits > 0 && (counted || !check.countsDenied)) {
                taken[i] = null;
                counter.putBack(lease, check.hits, now);
                check.outcome.remaining = counter.remaining();
            }
        }
    }

    /** Requests in the background the next lease of counters that run low. */
    void refill(long now) {
        for (int i = 0; i < size; i++) {
            LeasedCounter counter = counters[i];
            if (counter != null && taken[i] != null) {
                counter.refill(now);
            }
        }
    }

    /** Releases the counters. */
    void end() {
        Arrays.fill(counters, 0, size, null);
        Arrays.fill(taken, 0, size, null);
        size = 0;
    }
}
