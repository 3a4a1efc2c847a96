package dev.weir.internal.library;

import dev.weir.OnFail;
import dev.weir.Verdict.Reason;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.limiter.RuleCounter;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.SharedStore;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Asks a shared store whether hits would fit, without taking any. */
final class ProbeAsk extends Ask {
    private final CompletableFuture<MutableVerdict> verdict = new CompletableFuture<>();
    private final Rule rule;

    private ProbeAsk(RuleCounter counter, long deadlineNanos, long patienceNanos) {
        this.rule = Objects.requireNonNull(counter.rule(), "rule");
        this.deadlineNanos = deadlineNanos;
        this.patienceNanos = patienceNanos;
        denied = true;
        checks.add().set(counter.check());
    }

    /** Asks {@code store} about {@code counter}; completes no later than the deadline. */
    static CompletableFuture<MutableVerdict> probe(
            SharedStore store, RuleCounter counter, long deadlineNanos, long patienceNanos) {
        ProbeAsk ask = new ProbeAsk(counter, deadlineNanos, patienceNanos);
        store.decide(ask);
        return ask.verdict;
    }

    @Override
    public void answered() {
        Check check = checks.get(0);
        Outcome out = check.outcome;
        if (check.failure != null) {
            long capacity = Objects.requireNonNull(rule.limit(), "limit").capacity();
            out.allowed = rule.onFail() != OnFail.DENY && check.hits <= capacity;
            out.remaining = out.allowed ? capacity : 0;
            out.retryAfter = check.hits <= capacity ? 0 : Outcome.NEVER;
            out.reset = 0;
            out.delay = 0;
        }
        verdict.complete(new MutableVerdict()
                .set(
                        rule,
                        rule.limit(),
                        0,
                        check.hits,
                        reason(check),
                        out.remaining,
                        out.reset,
                        out.retryAfter,
                        out.delay)
                .degraded(check.failure != null));
    }

    private static Reason reason(Check check) {
        Outcome out = check.outcome;
        if (out.allowed) {
            return Reason.WITHIN_LIMIT;
        }
        return out.retryAfter == Outcome.NEVER
                ? Reason.NEVER
                : check.failure != null ? Reason.STORE_DOWN : Reason.OVER_LIMIT;
    }
}
