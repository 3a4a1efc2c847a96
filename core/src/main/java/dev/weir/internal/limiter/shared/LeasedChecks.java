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
 * The checks of a request whose hits may have been paid for before. What a lease covers is taken from it first; the stores are asked
 * for the rest; and if the request is denied after all, what was taken goes back into the lease it came from.
 */
final class LeasedChecks {
    private final CounterKey key = new CounterKey();
    private @Nullable LeasedCounter[] counters = new LeasedCounter[4];
    private @Nullable Lease[] taken = new Lease[4];
    private int size;

    /** Finds which checks of {@code pending} are of counters that are busy here; whether any is. */
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

    /** Whether the check at {@code index} is paid for, as things stand. */
    boolean covers(int index, Check check, long now) {
        LeasedCounter counter = index < size ? counters[index] : null;
        return counter != null && counter.covers(check.hits, now);
    }

    /** Whether the check at {@code index}, which is not paid for, is of a counter that has run dry and is not asked now. */
    boolean rests(int index, Check check, long now) {
        LeasedCounter counter = index < size ? counters[index] : null;
        return counter != null && counter.rests(check, now);
    }

    /** Takes what leases cover; whether any did. The others are still open. */
    boolean take(InFlightDecision pending, long now) {
        boolean any = false;
        for (int i = 0; i < size; i++) {
            LeasedCounter counter = counters[i];
            Check check = pending.checks.get(i);
            Lease lease = counter == null ? null : counter.take(check.hits, now);
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

    /** The stores are asked for the rest: with what they are to grant ahead. */
    void askAhead(InFlightDecision pending, long now) {
        for (int i = 0; i < size; i++) {
            LeasedCounter counter = counters[i];
            Check check = pending.checks.get(i);
            if (counter != null && taken[i] == null && check.hits > 0) {
                check.ahead = counter.ahead(check.hits, now);
            }
        }
    }

    /** Takes in what a store answered to the check at {@code index}, {@code from}, of which {@code hits} were taken. */
    void answered(InFlightDecision pending, int index, Check from, long hits, Leases leases) {
        if (index >= size) {
            return;
        }
        Check check = pending.checks.get(index);
        LeasedCounter counter = counters[index];
        if (counter != null) {
            // The one that was sent may have asked for less: nobody else asks ahead until this has been told.
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

    /** The request is denied: what was taken goes back; what counts also when denied only if that was not decided: {@code counted}. */
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

    /** Asks in the background for what is about to be used up. */
    void refill(long now) {
        for (int i = 0; i < size; i++) {
            LeasedCounter counter = counters[i];
            if (counter != null && taken[i] != null) {
                counter.refill(now);
            }
        }
    }

    /** Lets go of what it found. */
    void end() {
        Arrays.fill(counters, 0, size, null);
        Arrays.fill(taken, 0, size, null);
        size = 0;
    }
}
