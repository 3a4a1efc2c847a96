package dev.weir.limiter;

import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Outcome;
import dev.weir.match.Match;
import dev.weir.match.RuleSet;
import dev.weir.model.Decision;
import dev.weir.model.Limit;
import dev.weir.model.OnMissing;
import dev.weir.model.Request;
import dev.weir.model.Rule;
import dev.weir.model.TimeSource;
import dev.weir.model.Verdict;
import dev.weir.model.Verdict.Reason;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import dev.weir.store.Store;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests: never blocks, and allocates nothing beyond the decision it returns. Threads share it freely; each request
 * meets one rule set from beginning to end.
 */
public final class Limiter {
    /** What remains where nothing is limited: the largest number of Envoy's answer. */
    public static final long UNLIMITED = 0xffff_ffffL;

    private final Store store;
    private final TimeSource time;
    private final LimiterSettings settings;
    private final LimiterObserver observer;
    private final OverrideMeters overrides = new OverrideMeters();
    private volatile MeteredRules rules;

    public Limiter(RuleSet rules, Store store, TimeSource time, LimiterSettings settings, LimiterObserver observer) {
        this.rules = MeteredRules.of(rules);
        this.store = store;
        this.time = time;
        this.settings = settings;
        this.observer = observer;
    }

    /** Where its counters live. */
    public Store store() {
        return store;
    }

    /** The rule set in force. */
    public RuleSet rules() {
        return rules.rules();
    }

    /**
     * Puts a rule set in force for every request decided from now on.
     *
     * @throws IllegalArgumentException if a limit cannot be counted; the last set stays
     */
    public void rules(RuleSet next) {
        rules = MeteredRules.of(next);
    }

    /** Decides {@code request} now. */
    public Decision decide(Request request) {
        Decision decision = new Decision();
        decide(request, time.micros(), decision);
        return decision;
    }

    /** Decides {@code request} at {@code nowMicros} into a decision that the caller reuses. */
    public void decide(Request request, long nowMicros, Decision into) {
        into.begin(nowMicros);
        MeteredRules current = rules;
        Scratch scratch = Scratch.ofThread();
        current.rules().match(request, scratch.matches);
        addChecks(current, request, scratch);
        Checks checks = scratch.checks;
        boolean allowed = checks.size() == 0 ? checks.allowed() : store.decide(checks, nowMicros);
        addVerdicts(request, scratch, into);
        into.end(allowed || settings.shadow());
        observer.decided(request, into);
    }

    /** Why {@code verdict}, one of the decision on {@code request}, came out as it did, for people. */
    public Explanation explain(Request request, Verdict verdict) {
        return Explanation.of(verdict, rules.rules().counter(request, verdict));
    }

    private void addChecks(MeteredRules current, Request request, Scratch scratch) {
        Checks checks = scratch.checks;
        checks.clear();
        int unmet = 0; // the first descriptor that no limit has been seen for
        for (int i = 0, size = scratch.matches.size(); i < size; i++) {
            Match match = scratch.matches.get(i);
            Rule rule = match.rule();
            if (match.keyMissing() && rule != null && rule.onMissing() == OnMissing.SKIP) {
                continue;
            }
            checks.quotaPassed |= settings.quota() && match.descriptor() > unmet;
            unmet = match.descriptor() + 1;
            Meter meter = meterOf(current, match);
            if (meter == null) {
                checks.quotaPassed |= isQuota(rule);
            } else {
                fill(checks, match, meter, hitsOf(request, match));
            }
        }
        checks.quotaPassed |= settings.quota() && unmet < request.descriptors();
    }

    /** What counts {@code match}; null where nothing does. */
    private @Nullable Meter meterOf(MeteredRules current, Match match) {
        Limit override = match.override();
        Rule rule = match.rule();
        if (override != null || rule == null) {
            return override == null ? null : overrides.of(override);
        }
        return isKeyDenied(match, rule) ? MeteredRules.DENY : current.meter(rule);
    }

    private void fill(Checks checks, Match match, Meter meter, long hits) {
        Rule rule = match.rule();
        Check check = checks.add();
        check.key0 = match.key0();
        check.key1 = match.key1();
        check.meter = meter;
        check.hits = hits;
        check.countsDenied = match.countsDenied() && settings.chargeDenied();
        check.role = Check.Role.ENFORCE;
        if (rule != null && rule.shadow()) {
            check.role = Check.Role.SHADOW;
            // As in the reference, a quota that only watches has passed.
            checks.quotaPassed |= isQuota(rule);
        } else if (isQuota(rule)) {
            check.role = Check.Role.QUOTA;
        }
    }

    private boolean isQuota(@Nullable Rule rule) {
        return settings.quota() || (rule != null && rule.quota());
    }

    private static boolean isKeyDenied(Match match, Rule rule) {
        return match.keyMissing() && rule.onMissing() == OnMissing.DENY;
    }

    private static long hitsOf(Request request, Match match) {
        long hits = request.hitsOf(match.descriptor());
        Rule rule = match.rule();
        if (rule == null) {
            return hits;
        }
        // What lacks its key is denied also when it only asks.
        return isKeyDenied(match, rule) ? 1 : multiply(hits, rule.cost());
    }

    /** Saturates at the largest number and its negative. */
    private static long multiply(long hits, long cost) {
        if (cost == 1) {
            return hits;
        }
        long product = hits * cost;
        boolean fits = Math.multiplyHigh(hits, cost) == product >> 63 && product != Long.MIN_VALUE;
        return fits ? product : hits < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE;
    }

    private void addVerdicts(Request request, Scratch scratch, Decision into) {
        int next = 0;
        for (int i = 0, size = scratch.matches.size(); i < size; i++) {
            Match match = scratch.matches.get(i);
            Rule rule = match.rule();
            if (match.keyMissing() && rule != null) {
                observer.keyMissing(rule);
                if (rule.onMissing() == OnMissing.SKIP) {
                    continue;
                }
            }
            Limit limit = match.override() != null ? match.override() : rule == null ? null : rule.limit();
            Verdict verdict = into.add();
            if (rule != null && isKeyDenied(match, rule)) {
                long hits = multiply(request.hitsOf(match.descriptor()), rule.cost());
                next++;
                verdict.set(rule, limit, match.descriptor(), hits, Reason.MISSING_KEY, 0, 0, Verdict.NEVER, 0);
            } else if (limit == null) {
                long hits = request.hitsOf(match.descriptor());
                verdict.set(rule, null, match.descriptor(), hits, Reason.UNLIMITED, UNLIMITED, 0, 0, 0);
            } else {
                Check check = scratch.checks.get(next++);
                write(verdict, match, limit, check);
            }
        }
    }

    private static void write(Verdict verdict, Match match, Limit limit, Check check) {
        Outcome outcome = check.outcome;
        Reason reason = outcome.allowed
                ? Reason.WITHIN_LIMIT
                : outcome.retryAfter == Outcome.NEVER ? Reason.NEVER : Reason.OVER_LIMIT;
        verdict.set(
                        match.rule(),
                        limit,
                        match.descriptor(),
                        check.hits,
                        reason,
                        outcome.remaining,
                        outcome.reset,
                        outcome.retryAfter,
                        outcome.delay)
                .counter(check.key0);
    }
}
