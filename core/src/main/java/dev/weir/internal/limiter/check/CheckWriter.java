package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.match.EffectiveLimit;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.RequestCost;
import dev.weir.internal.store.RequestTooCostlyException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Turns the matches of a request into checks: one for each match that counts. */
public final class CheckWriter {
    private static final long SECOND_MICROS = 1_000_000;
    /** Ends the name of a counter of permits that nodes count by themselves, which has another form. */
    private static final byte[] LEVELS = ":!levels".getBytes(StandardCharsets.US_ASCII);

    private final LimiterSettings settings;
    private final MeterCache meters;
    private final int requestLimitStore;
    private final int perSecondStore;

    /**
     * Limits that requests bring are counted in the store at {@code requestLimitStore}, those per second at {@code
     * perSecondStore}.
     */
    public CheckWriter(LimiterSettings settings, MeterCache meters, int requestLimitStore, int perSecondStore) {
        this.settings = settings;
        this.meters = meters;
        this.requestLimitStore = requestLimitStore;
        this.perSecondStore = perSecondStore;
    }

    /**
     * Writes the checks of {@code request}.
     *
     * @throws RequestTooCostlyException if they cost more than the settings allow
     */
    public void write(MeteredRules rules, Request request, Matches matches, Checks checks) {
        write(rules, request, matches, checks, null);
    }

    /** Writes the same, changed to the checks of {@code hold} unless that is null. */
    public void write(MeteredRules rules, Request request, Matches matches, Checks checks, @Nullable HoldChecks hold) {
        checks.clear();
        if (rules.anyPermits()) {
            PermitChecks.narrow(request, matches);
        }
        if (rules.anyPriced()) {
            RequestHits.removeOtherUnits(request, matches);
        }
        long cost = 0;
        boolean allShadow = rules.index().everything() == SwitchState.SHADOW;
        int unmet = 0; // the first descriptor that no limit has been seen for
        for (int i = 0, size = matches.size(); i < size; i++) {
            Match match = matches.get(i);
            if (isSkipped(match)) {
                continue;
            }
            checks.quotaPassed |= settings.quota() && match.descriptor() > unmet;
            unmet = match.descriptor() + 1;
            Meter meter = meterOf(rules, match);
            // As in the reference, an unlimited match is no quota: it neither passes nor is it over.
            if (meter != null) {
                Check check = checks.add();
                check.about = i;
                fill(check, rules, request, match, meter, hold, allShadow);
                cost += RequestCost.of(check);
                // As in the reference, a quota rule in shadow mode has passed.
                checks.quotaPassed |= check.role == Check.Role.SHADOW && isQuota(match.rule());
            }
        }
        checks.quotaPassed |= settings.quota() && unmet < request.descriptors();
        checks.cost = cost;
        if (request.isChargedInFull()) {
            chargeInFull(matches, checks);
        }
        if (cost > settings.maxRequestCost()) {
            throw RequestTooCostlyException.above(settings.maxRequestCost(), cost);
        }
    }

    /** A method of its own, so that the JIT inlines both. */
    private void fill(
            Check check,
            MeteredRules rules,
            Request request,
            Match match,
            Meter meter,
            @Nullable HoldChecks hold,
            boolean allShadow) {
        long hits = hitsOf(rules, request, match);
        fill(check, match, meter, hold == null ? hits : hold.hitsOf(match, meter, hits), allShadow);
        if (rules.anyPermits()) {
            PermitChecks.name(check, rules.leasesPermits(match.rule()));
        }
        if (rules.anyPriced() && check.hits > 0 && RequestHits.isReport(request, match.descriptor())) {
            chargeInFull(match, check);
        }
        if (rules.anyCapacity() && match.isCritical() && check.hits > 0) {
            check.owed = true; // it counts, and is never denied here
            check.role = Check.Role.SHADOW;
        }
        check.store = storeIndexOf(rules, match);
        if (check.store != Check.LOCAL || isReported(rules, match)) {
            check.name.set(match.name());
            if (check.meter instanceof PermitLevels) {
                check.name.append(LEVELS);
            }
        }
        if (hold != null) {
            hold.complete(rules, match, check);
        }
    }

    private static void chargeInFull(Matches matches, Checks checks) {
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            if (check.hits > 0) {
                chargeInFull(matches.get(check.about), check);
            }
        }
    }

    /** Charges {@code check} whether its hits fit or not: they were used already. */
    private static void chargeInFull(Match match, Check check) {
        check.owed = !isKeyDenied(match) && !(check.meter instanceof PermitSet);
        check.role = check.owed ? Check.Role.SHADOW : check.role;
    }

    /**
     * How long the decision of {@code checks} may wait for shared stores: as long as its most impatient rule, but as
     * long as a global rule says that no lease paid for, because its store is in another region.
     */
    public long deadlineMicros(Matches matches, Checks checks) {
        long least = Long.MAX_VALUE;
        long global = 0;
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            Rule rule = matches.get(check.about).rule();
            long own = rule == null ? 0 : rule.deadlineMicros();
            if (rule != null && rule.scope().isGlobal() && !check.leased) {
                global = Math.max(global, own);
            } else {
                least = Math.min(least, own == 0 ? settings.deadlineMicros() : own);
            }
        }
        return global == 0 ? least : least == Long.MAX_VALUE ? global : Math.max(least, global);
    }

    /** Whether the rule ignores a request that lacks its key. */
    static boolean isSkipped(Match match) {
        Rule rule = match.rule();
        return match.keyMissing() && rule != null && rule.onMissing() == OnMissing.SKIP;
    }

    /** Whether the rule denies the request without asking a counter: it lacks the key, or it is shed. */
    public static boolean isDenied(Match match) {
        return match.shed || isKeyDenied(match);
    }

    /** Whether the rule denies a request that lacks its key. */
    static boolean isKeyDenied(Match match) {
        Rule rule = match.rule();
        return match.keyMissing() && rule != null && rule.onMissing() == OnMissing.DENY;
    }

    /** The limit in force, which is the one that is counted; null if nothing is counted. */
    @Nullable
    Limit limitOf(Match match) {
        Rule rule = match.rule();
        Limit override = match.override();
        return override != null && overriding(match) != null ? override : rule == null ? null : rule.limit();
    }

    /** Whether the caller's override, perhaps made for an earlier rule, cannot be counted by the rule's algorithm. */
    boolean isOverrideIgnored(Match match) {
        return match.agreed() != null && overriding(match) == null;
    }

    /** The meter of {@code match}; null if nothing is counted. */
    private @Nullable Meter meterOf(MeteredRules rules, Match match) {
        if (isDenied(match)) {
            return MeteredRules.DENY;
        }
        Rule rule = match.rule();
        Meter given = overriding(match);
        // An override whose numbers the rule's algorithm cannot count leaves the rule's limit in force.
        return given != null || rule == null ? given : rules.meter(rule);
    }

    /** The meter of the limit that replaces the rule's; null if there is none, or if it cannot be counted. */
    private @Nullable Meter overriding(Match match) {
        EffectiveLimit agreed = match.agreed();
        Limit override = match.override();
        return agreed != null ? meters.of(agreed) : override == null ? null : meters.of(override);
    }

    private static boolean isReported(MeteredRules rules, Match match) {
        Rule rule = match.rule();
        return rules.anyReported() && rule != null && !isDenied(match) && rules.reportPlace(rule) != Check.LOCAL;
    }

    private int storeIndexOf(MeteredRules rules, Match match) {
        Rule rule = match.rule();
        if (rule == null || rule.limit() == null) {
            Limit given = match.override();
            return given != null && given.windowMicros() == SECOND_MICROS ? perSecondStore : requestLimitStore;
        }
        return isDenied(match) ? Check.LOCAL : rules.storeIndex(rule);
    }

    private void fill(Check check, Match match, Meter meter, long hits, boolean allShadow) {
        Rule rule = match.rule();
        // The counter of a service is not asked for a request that is shed, least of all by another meter.
        check.key0 = match.shed ? 0 : match.key0();
        check.key1 = match.shed ? 0 : match.key1();
        if (check.meter != meter) {
            check.meter = meter;
        }
        check.hits = hits;
        check.countsDenied = match.countsDenied() && settings.chargeDenied();
        check.failure = null;
        boolean shadow = allShadow || (rule != null && rule.shadow()) || match.isSpared();
        Check.Role role = shadow ? Check.Role.SHADOW : isQuota(rule) ? Check.Role.QUOTA : Check.Role.ENFORCE;
        if (check.role != role) {
            check.role = role;
        }
    }

    private boolean isQuota(@Nullable Rule rule) {
        return settings.quota() || (rule != null && rule.quota());
    }

    private static long hitsOf(MeteredRules rules, Request request, Match match) {
        Rule rule = match.rule();
        if (rule == null) {
            return request.hitsOf(match.descriptor());
        }
        // A request that lacks its key is denied even if it has no hits.
        if (isKeyDenied(match)) {
            return 1;
        }
        return rule.costOf(
                rules.anyPriced()
                        ? RequestHits.of(request, match.descriptor(), rule, rules.costs(rule))
                        : request.hitsOf(match.descriptor()));
    }
}
