package dev.weir.internal.limiter.shared;

import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.CheckWriter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.VerdictWriter;
import dev.weir.internal.limiter.idempotency.IdempotencyGuard;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.LocalStore;
import dev.weir.internal.tier.LocalTier;
import org.jspecify.annotations.Nullable;

/**
 * Completes a request: turns the answers of shared stores into its decision. The waiter is called whatever fails here,
 * because nothing else would call it. In that case {@code on_fail} decides, and the fault is rethrown to the caller.
 */
final class DecisionCompletion {
    /** The most checks of one request whose denials are cached, to bound the cost of a long request. */
    private static final int MOST_LEARNED = 64;

    private final LocalStore local;
    private final TimeSource time;
    private final LimiterSettings settings;
    private final LimiterObserver observer;
    private final LocalTier tier;
    private final IdempotencyGuard keys;
    private final VerdictWriter verdictWriter;
    /** Writes verdicts without an observer, because the observer may be what failed. */
    private final VerdictWriter silent;

    private final FailurePolicy policy;

    DecisionCompletion(
            LocalStore local,
            TimeSource time,
            LimiterSettings settings,
            LimiterObserver observer,
            LocalTier tier,
            IdempotencyGuard keys,
            CheckWriter checkWriter,
            VerdictWriter verdictWriter) {
        this.local = local;
        this.time = time;
        this.settings = settings;
        this.observer = observer;
        this.tier = tier;
        this.keys = keys;
        this.verdictWriter = verdictWriter;
        this.silent = new VerdictWriter(checkWriter, new LimiterObserver() {});
        this.policy = new FailurePolicy(settings, observer, tier);
    }

    /** Records a store's answers to {@code ask}, whose checks are those of {@code pending} at {@code indices}. */
    void settle(InFlightDecision pending, Ask ask, int @Nullable [] indices) {
        Checks checks = ask.checks;
        if (ask.repeated || ask.conflict) {
            for (int i = 0; i < checks.size(); i++) {
                pending.progress.settled(indices == null ? i : indices[i]);
            }
            return; // nothing was charged, and the outcomes are those of the first request
        }
        long now = pending.askedMicros;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.failure != null) {
                check.outcome.allowed = true; // it denies nothing, as far as the store is concerned
            } else if ((check.role == Check.Role.ENFORCE || check.hits < 0) && isFirstOnItsCounter(checks, i)) {
                tier.learn(check, now);
            }
        }
        boolean passed = !ask.denied && checks.allowed();
        for (int i = 0; i < checks.size(); i++) {
            try {
                settle(pending, indices == null ? i : indices[i], checks.get(i), passed);
            } catch (RuntimeException | Error e) {
                pending.fault = e;
            }
        }
    }

    private void settle(InFlightDecision pending, int index, Check check, boolean passed) {
        StoreFailure failure = check.failure;
        boolean taken = check.countsDenied || (passed && check.outcome.allowed);
        pending.leased.answered(pending, index, check, taken ? Math.max(0, check.hits) : 0, tier.leases());
        if (failure != null) {
            policy.apply(pending, index, failure, time.micros());
        } else {
            pending.progress.decided(index, check, passed);
        }
    }

    /**
     * Whether no earlier check affects its outcome: after others on the same counter, a denial says nothing about its
     * own hits.
     */
    private static boolean isFirstOnItsCounter(Checks checks, int index) {
        if (index > MOST_LEARNED) {
            return false;
        }
        Check check = checks.get(index);
        for (int i = 0; i < index; i++) {
            if (checks.get(i).key0 == check.key0 && checks.get(i).key1 == check.key1) {
                return false;
            }
        }
        return true;
    }

    /** Takes the hits that this process counts, before the last store is asked or hits are refunded. */
    void takeLocal(InFlightDecision pending) {
        try {
            pending.local.takeButRefunds(pending, local, time.micros());
        } catch (RuntimeException | Error e) {
            pending.fault = e;
        }
    }

    /** Finishes the request after every store has answered or failed. */
    void finish(InFlightDecision pending) {
        long now = time.micros();
        try {
            pending.throwFault();
            conclude(pending, now);
        } catch (RuntimeException | Error e) {
            pending.fault = e;
            policy.giveUp(pending);
            write(pending, silent, now, pending.repeated || pending.checks.allowed());
        }
        try {
            tell(pending);
            pending.throwFault();
        } finally {
            InFlightDecisionPool.ofThread().release(pending);
        }
    }

    private void conclude(InFlightDecision pending, long now) {
        boolean again = pending.repeated || pending.conflict;
        if (again) {
            pending.local.ask(pending, local, now);
        } else {
            pending.local.take(pending, local, now);
        }
        boolean allowed = pending.repeated || pending.checks.allowed();
        if (again || (!allowed && pending.progress.anyTaken())) {
            giveBack(pending, now, again);
        }
        if (!again) {
            pending.reported.decided(pending, allowed, now);
        }
        if (!allowed) {
            pending.leased.putBack(pending, time.nanos(), false);
        }
        if (pending.repeated) {
            admit(pending.checks);
        }
        Idempotency idempotency = pending.idempotency;
        if (idempotency != null) {
            keys.answered(pending, idempotency, pending.keyTaken, pending.askedMicros, allowed, again);
        }
        write(pending, verdictWriter, now, allowed);
    }

    private void write(InFlightDecision pending, VerdictWriter writer, long now, boolean allowed) {
        MutableDecision decision = pending.decision;
        decision.begin(now);
        decision.asked(pending.askedMicros);
        if (pending.conflict) {
            decision.markConflict();
            decision.end(false);
            return;
        }
        writer.write(pending.request, pending.matches, pending.checks, decision);
        decision.end(allowed || settings.shadow());
        if (pending.repeated) {
            decision.markRepeated();
        }
    }

    private void tell(InFlightDecision pending) {
        try {
            if (!pending.repeated && !pending.conflict) {
                observer.decided(pending.request, pending.decision);
            }
        } finally {
            pending.waiter().decided(pending.request, pending.decision);
        }
    }

    /** Marks the checks as allowed, because the request was admitted before; unknown numbers are the current ones. */
    private static void admit(Checks checks) {
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.role != Check.Role.SHADOW) {
                check.outcome.allowed = true;
                check.outcome.retryAfter = 0;
            }
        }
    }

    private void giveBack(InFlightDecision pending, long now, boolean counted) {
        int sent = StoreGiveBack.of(pending, now, counted);
        if (sent > 0) {
            observer.gaveBack(sent);
        }
        pending.local.giveBack(pending, local, now, counted);
        Checks checks = pending.checks;
        for (int i = 0; i < checks.size(); i++) {
            if (pending.progress.isOwed(i, counted)) {
                Check check = checks.get(i);
                long remaining = check.outcome.remaining + check.hits;
                check.outcome.remaining = remaining < 0 ? Long.MAX_VALUE : remaining;
            }
        }
    }
}
