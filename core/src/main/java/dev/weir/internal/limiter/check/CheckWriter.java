package dev.weir.internal.limiter.check;

import dev.weir.Limit;
import dev.weir.OnMissing;
import dev.weir.Request;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.match.EffectiveLimit;
import dev.weir.internal.match.Match;
import dev.weir.internal.match.Matches;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.SwitchState;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import org.jspecify.annotations.Nullable;

/** From what a request meets to what a store is asked: one check for each match that counts. */
public final class CheckWriter {
    private final LimiterSettings settings;
    private final MeterCache overrides;
    private final int overridePlace;

    /** Limits that callers give are counted in the store at {@code overridePlace}. */
    public CheckWriter(LimiterSettings settings, MeterCache overrides, int overridePlace) {
        this.settings = settings;
        this.overrides = overrides;
        this.overridePlace = overridePlace;
    }

    public void write(MeteredRules rules, Request request, Matches matches, Checks checks) {
        checks.clear();
        boolean onlyWatches = rules.index().everything() == SwitchState.SHADOW;
        int unmet = 0; // the first descriptor that no limit has been seen for
        for (int i = 0, size = matches.size(); i < size; i++) {
            Match match = matches.get(i);
            if (isSkipped(match)) {
                continue;
            }
            checks.quotaPassed |= settings.quota() && match.descriptor() > unmet;
            unmet = match.descriptor() + 1;
            Meter meter = meterOf(rules, match);
            // As in the reference, what is unlimited is no quota: it neither passed nor is it over.
            if (meter != null) {
                Check check = checks.add();
                fill(check, match, meter, hitsOf(request, match), onlyWatches);
                check.about = i;
                check.store = placeOf(rules, match);
                if (check.store != Check.LOCAL || isReported(rules, match)) {
                    check.name.set(match.name());
                }
                // As in the reference, a quota that only watches has passed.
                checks.quotaPassed |= check.role == Check.Role.SHADOW && isQuota(match.rule());
            }
        }
        checks.quotaPassed |= settings.quota() && unmet < request.descriptors();
    }

    /** Whether the rule does without what the request lacks. */
    static boolean isSkipped(Match match) {
        Rule rule = match.rule();
        return match.keyMissing() && rule != null && rule.onMissing() == OnMissing.SKIP;
    }

    /** Whether the rule denies what the request lacks. */
    public static boolean isKeyDenied(Match match) {
        Rule rule = match.rule();
        return match.keyMissing() && rule != null && rule.onMissing() == OnMissing.DENY;
    }

    /** The limit in force, which is the one that is counted; null where nothing is. */
    @Nullable
    Limit limitOf(Match match) {
        Rule rule = match.rule();
        Limit override = match.override();
        return override != null && overriding(match) != null ? override : rule == null ? null : rule.limit();
    }

    /** Whether what was agreed with the caller, maybe when the rule was another, is nothing that the rule's algorithm can count. */
    boolean isAgreementIgnored(Match match) {
        return match.agreed() != null && overriding(match) == null;
    }

    /** What counts {@code match}; null where nothing does. */
    private @Nullable Meter meterOf(MeteredRules rules, Match match) {
        if (isKeyDenied(match)) {
            return MeteredRules.DENY;
        }
        Rule rule = match.rule();
        Meter given = overriding(match);
        // Numbers that were agreed for one algorithm, and that the rule's cannot count, leave the rule as it is.
        return given != null || rule == null ? given : rules.meter(rule);
    }

    /** The meter of the limit that takes the place of the rule's; null if there is none, or if it cannot be counted. */
    private @Nullable Meter overriding(Match match) {
        EffectiveLimit agreed = match.agreed();
        Limit override = match.override();
        return agreed != null ? overrides.of(agreed) : override == null ? null : overrides.of(override);
    }

    private static boolean isReported(MeteredRules rules, Match match) {
        Rule rule = match.rule();
        return rules.anyReported() && rule != null && !isKeyDenied(match) && rules.reportPlace(rule) != Check.LOCAL;
    }

    private int placeOf(MeteredRules rules, Match match) {
        Rule rule = match.rule();
        if (rule == null || rule.limit() == null) {
            return overridePlace;
        }
        return isKeyDenied(match) ? Check.LOCAL : rules.place(rule);
    }

    private void fill(Check check, Match match, Meter meter, long hits, boolean onlyWatches) {
        Rule rule = match.rule();
        check.key0 = match.key0();
        check.key1 = match.key1();
        check.meter = meter;
        check.hits = hits;
        check.countsDenied = match.countsDenied() && settings.chargeDenied();
        check.failure = null;
        if (onlyWatches || (rule != null && rule.shadow()) || match.isSpared()) {
            check.role = Check.Role.SHADOW;
        } else {
            check.role = isQuota(rule) ? Check.Role.QUOTA : Check.Role.ENFORCE;
        }
    }

    private boolean isQuota(@Nullable Rule rule) {
        return settings.quota() || (rule != null && rule.quota());
    }

    private static long hitsOf(Request request, Match match) {
        long hits = request.hitsOf(match.descriptor());
        Rule rule = match.rule();
        if (rule == null) {
            return hits;
        }
        // What lacks its key is denied also when it only asks.
        return isKeyDenied(match) ? 1 : rule.costOf(hits);
    }
}
