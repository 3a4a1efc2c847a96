package dev.weir.internal.limiter.shared;

import dev.weir.StoreFailure;
import dev.weir.TimeSource;
import dev.weir.internal.limiter.check.CapacityChecks;
import dev.weir.internal.limiter.check.CheckWriter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.PermitChecks;
import dev.weir.internal.limiter.check.VerdictWriter;
import dev.weir.internal.limiter.idempotency.IdempotencyGuard;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.tier.LocalTier;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Completes a request: turns the answers of shared stores into its decision. The waiter is called whatever fails here,
 * because nothing else would call it. In that case {@code on_fail} decides, and the fault is rethrown to the caller.
 */
final class DecisionCompletion {
    /** The most checks of one request whose denials are cached, to bound the cost of a long request. */
    private static final int MOST_LEARNED = 64;

    /** How long a store may take to release permits that it may have taken; no caller waits for it. */
    private static final long RELEASE_NANOS = TimeUnit.SECONDS.toNanos(1);

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
            TimeSource time,
            LimiterSettings settings,
            LimiterObserver observer,
            LocalTier tier,
            IdempotencyGuard keys,
            CheckWriter checkWriter,
            VerdictWriter verdictWriter) {
        this.time = time;
        this.settings = settings;
        this.observer = observer;
        this.tier = tier;
        this.keys = keys;
        this.verdictWriter = verdictWriter;
        this.silent = new VerdictWriter(checkWriter, new LimiterObserver() {});
        this.policy = new FailurePolicy(settings, observer, tier);
    }

    /** Takes in what a place answered to {@code ask}, sent at {@code sent}, with the checks of {@code pending} at {@code indices}. */
    void settle(InFlightDecision pending, Ask ask, int @Nullable [] indices, long sent) {
        Checks checks = ask.checks;
        if (ask.repeated || ask.conflict) {
            for (int i = 0; i < checks.size(); i++) {
                pending.states.settled(indices == null ? i : indices[i]);
            }
            return; // nothing was charged, and the outcomes are those of the first request
        }
        long now = pending.askedMicros;
        if (pending.matches.taken != null) {
            PermitChecks.refuseLate(checks, time.nanos() - sent);
        }
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
                settle(pending, indices == null ? i : indices[i], checks.get(i), passed, sent);
            } catch (RuntimeException | Error e) {
                pending.fault = e;
            }
        }
    }

    /** Has {@code on_fail} decide the check at {@code index}. */
    void fail(InFlightDecision pending, int index, StoreFailure failure) {
        pending.checks.get(index).failure = failure;
        policy.apply(pending, index, failure, time.micros());
    }

    private void settle(InFlightDecision pending, int index, Check check, boolean passed, long sent) {
        if (pending.permits.has(index)) {
            boolean counted = pending.permits.answered(pending, index, check, passed, time);
            if (counted) {
                pending.states.settled(index);
            } else {
                StoreFailure why = check.failure == null ? StoreFailure.TIMEOUT : check.failure;
                fail(pending, index, why);
            }
            return;
        }
        StoreFailure failure = check.failure;
        boolean taken = check.countsDenied || (passed && check.outcome.allowed);
        pending.leased.answered(pending, index, check, taken ? Math.max(0, check.hits) : 0, tier.leases());
        if (failure != null) {
            if (PermitChecks.mayBeLost(check)) {
                releaseLost(pending, check);
            }
            policy.apply(pending, index, failure, time.micros());
        } else {
            pending.states.decided(index, check, passed, sent);
        }
    }

    /** Releases permits that a store may have taken without being heard; if this is lost too, they expire. */
    private void releaseLost(InFlightDecision pending, Check check) {
        StoreGiveBack back = InFlightDecisionPool.ofThread().giveBack();
        back.begin(tier, pending.home);
        back.checks.add().setReturning(check);
        back.deadlineNanos = time.nanos() + RELEASE_NANOS;
        pending.path().stores().at(check.store).decide(back);
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

    /** Hits of so many checks go back. */
    void gaveBack(int checks) {
        observer.gaveBack(checks);
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
        pending.places.conclude(again);
        boolean allowed = pending.repeated || pending.checks.allowed();
        if (!again) {
            pending.reported.decided(pending, allowed, now);
        }
        if (!allowed) {
            pending.leased.putBack(pending, time.nanos(), false);
            pending.permits.putBack(time.nanos());
        }
        if (pending.repeated) {
            admit(pending.checks);
        }
        if (pending.hold != null) {
            pending.hold.decided(pending.matches, pending.checks);
        } else if (pending.idempotency != null) {
            keys.answered(pending, pending.keyTaken, allowed, again);
        }
        write(pending, verdictWriter, now, allowed);
    }

    private void write(InFlightDecision pending, VerdictWriter writer, long now, boolean allowed) {
        MutableDecision decision = pending.decision;
        decision.begin(now);
        decision.asked(pending.askedMicros);
        decision.stored(pending.storeMicros);
        if (pending.conflict) {
            decision.markConflict();
            decision.end(false);
            return;
        }
        writer.write(pending.request, pending.matches, pending.checks, decision);
        boolean takes = allowed && !pending.repeated;
        VerdictWriter.end(pending.matches, pending.checks, decision, takes, settings.shadow() || pending.repeated);
        if (pending.repeated) {
            decision.markRepeated();
        }
    }

    private void tell(InFlightDecision pending) {
        try {
            boolean again = pending.repeated || pending.conflict;
            if (!again && !pending.settles && (pending.isLast || pending.decision.allowed())) {
                if (pending.rules().anyCapacity()) {
                    CapacityChecks.decided(
                            pending.rules(), pending.matches, pending.checks, pending.decision, time.micros());
                }
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
}
