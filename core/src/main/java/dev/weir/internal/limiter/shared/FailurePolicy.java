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
import dev.weir.internal.limiter.check.PermitChecks;
import dev.weir.internal.match.Match;
import dev.weir.internal.model.Rule;
import dev.weir.internal.store.Check;
import dev.weir.internal.tier.LocalTier;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Applies the rule's {@code on_fail} to checks that their store did not answer. */
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

    /** Settles the check at {@code index}, or has this process count it. */
    void apply(InFlightDecision pending, int index, StoreFailure failure, long now) {
        observer.storeFailed(failure);
        Check check = pending.checks.get(index);
        if (pending.settles) {
            write(check, true); // a hold is settled where it was reserved, or again later
            pending.states.settled(index);
        } else if (settle(pending.rules(), pending.matches.get(check.about), check, now)) {
            pending.states.settled(index);
        }
    }

    /** Settles {@code check} and returns true; or returns false after it made it one that this process counts. */
    boolean settle(MeteredRules rules, Match match, Check check, long now) {
        if (check.role == Check.Role.ENFORCE && check.hits > 0 && tier.stillDenies(check, now)) {
            check.failure = null; // it was known, with the store or without it
            return true;
        }
        OnFail onFail = onFail(match.rule());
        if (onFail == OnFail.LOCAL) {
            check.meter = PermitChecks.sameIds(check.meter, shareOf(rules, match, check));
            check.store = Check.LOCAL;
            return false;
        }
        write(check, onFail == OnFail.ALLOW);
        return true;
    }

    /** Settles every check without a counter, because nothing here can be relied on; {@code local} passes as well. */
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
        // Hits that can never fit are denied without a counter.
        boolean never = check.hits > capacity;
        out.allowed = allow && !never;
        out.retryAfter = never ? Outcome.NEVER : 0;
    }

    private static Limit limitOf(Check check) {
        Meter meter = Objects.requireNonNull(check.meter, "meter");
        return meter.limit();
    }
}
