package dev.weir.internal.limiter.shared;

import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.StoreFailure;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.LocalShare;
import dev.weir.internal.limiter.check.MeterCache;
import dev.weir.internal.limiter.check.MeteredRules;
import dev.weir.internal.match.Match;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.internal.tier.LocalTier;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What becomes of a check that its store did not answer: what its rule says under {@code on_fail}. */
final class FailurePolicy {
    private final LimiterSettings settings;
    private final LimiterObserver observer;
    private final LocalTier tier;
    private final MeterCache shares = new MeterCache();

    FailurePolicy(LimiterSettings settings, LimiterObserver observer, LocalTier tier) {
        this.settings = settings;
        this.observer = observer;
        this.tier = tier;
    }

    /** Settles the check at {@code index}, or has it counted by this process. */
    void apply(InFlightDecision pending, int index, StoreFailure failure, long now) {
        observer.storeFailed(failure);
        Check check = pending.checks.get(index);
        if (check.role == Check.Role.ENFORCE && check.hits > 0 && tier.stillDenies(check, now)) {
            check.failure = null; // it was known, with the store or without it
            pending.states.settled(index);
            return;
        }
        Match match = pending.matches.get(check.about);
        OnFail onFail = onFail(match.rule());
        if (onFail == OnFail.LOCAL) {
            check.meter = shareOf(pending.rules(), match, check);
            check.store = Check.LOCAL;
            return;
        }
        write(check, onFail == OnFail.ALLOW);
        pending.states.settled(index);
    }

    /** Settles every check without a counter, for here is nothing left to rely on: what says {@code local} passes as well. */
    void giveUp(InFlightDecision pending) {
        for (int i = 0; i < pending.checks.size(); i++) {
            Check check = pending.checks.get(i);
            check.failure = StoreFailure.BROKEN;
            write(check, onFail(pending.matches.get(check.about).rule()) != OnFail.DENY);
        }
    }

    private OnFail onFail(@Nullable Rule rule) {
        return rule == null ? settings.onFail() : rule.onFail();
    }

    private Meter shareOf(MeteredRules rules, Match match, Check check) {
        Rule rule = match.rule();
        Meter share = rule != null && match.override() == null
                ? rules.share(rule)
                : shares.of(
                        LocalShare.of(limitOf(check), rule == null ? settings.localShare() : settings.shareOf(rule)));
        return Objects.requireNonNull(share, "share");
    }

    private static void write(Check check, boolean allow) {
        long capacity = limitOf(check).capacity();
        Outcome out = check.outcome;
        out.remaining = allow ? Math.max(0, capacity - Math.max(0, check.hits)) : 0;
        out.reset = 0;
        out.delay = 0;
        // What can never fit needs no counter to be denied.
        boolean never = check.hits > capacity;
        out.allowed = allow && !never;
        out.retryAfter = never ? Outcome.NEVER : 0;
    }

    private static Limit limitOf(Check check) {
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        return meter.limit();
    }
}
