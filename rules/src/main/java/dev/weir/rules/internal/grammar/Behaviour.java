package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Algorithm;
import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.OnMissing;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
import dev.weir.rules.internal.regions.ScopeReader;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode.Scalar;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The behaviour of a rule beside its limit. A rule inherits from its file what it does not set. */
record Behaviour(
        OnFail onFail,
        OnMissing onMissing,
        Cause denyAs,
        EndpointCase endpointCase,
        Consistency consistency,
        long deadlineMicros,
        int localShare,
        long leaseIntervalMicros,
        long reportIntervalMicros,
        String store,
        RegionScope scope,
        String homeStore) {
    /** Whether the letter case of endpoints counts. */
    enum EndpointCase {
        KEEP,
        IGNORE
    }

    /** The fields that both formats have. */
    static final List<String> SHARED = List.of(
            "on_fail",
            "consistency",
            "deadline",
            "local_share",
            "lease_interval",
            "report_interval",
            "store",
            ScopeReader.NAME,
            "deny_as");

    /** The defaults; 0 means "not given". */
    static final Behaviour DEFAULT = new Behaviour(
            OnFail.ALLOW,
            OnMissing.SKIP,
            Cause.QUOTA,
            EndpointCase.KEEP,
            Consistency.EXACT,
            0,
            0,
            Rule.DEFAULT_INTERVAL_MICROS,
            Rule.DEFAULT_INTERVAL_MICROS,
            Rule.DEFAULT_STORE,
            RegionScope.REGION,
            "");

    /** The deadline of a global rule that sets none: a request that no lease covers waits for another continent. */
    static final long GLOBAL_DEADLINE_MICROS = 250_000;

    private static final Pattern SHARE = Pattern.compile("[01](\\.[0-9]{1,6})?");
    private static final List<Cause> DENY_AS = List.of(Cause.QUOTA, Cause.CAPACITY, Cause.NOT_ALLOWED);
    private static final int MILLION = 1_000_000;
    private static final long LONG_DEADLINE_MICROS = 1_000_000;

    /** Returns the defaults for a rule that is counted in {@code store} unless it says otherwise. */
    static Behaviour in(String store) {
        return new Behaviour(
                DEFAULT.onFail,
                DEFAULT.onMissing,
                DEFAULT.denyAs,
                DEFAULT.endpointCase,
                DEFAULT.consistency,
                DEFAULT.deadlineMicros,
                DEFAULT.localShare,
                DEFAULT.leaseIntervalMicros,
                DEFAULT.reportIntervalMicros,
                store,
                DEFAULT.scope,
                DEFAULT.homeStore);
    }

    /** Returns this behaviour with the values that {@code fields} set. */
    Behaviour with(Fields fields, StoreNames stores) {
        OnFail fail = fields.oneOf("on_fail", OnFail.values());
        OnMissing missing = fields.oneOf("on_missing", OnMissing.values());
        EndpointCase endpoint = fields.oneOf("endpoint_case", EndpointCase.values());
        Consistency given = fields.oneOf("consistency", Consistency.values());
        Long deadline = deadline(fields);
        Long lease = fields.duration("lease_interval", "ms");
        Long report = fields.duration("report_interval", "ms");
        return new Behaviour(
                fail == null ? onFail : fail,
                missing == null ? onMissing : missing,
                denyAs(fields),
                endpoint == null ? endpointCase : endpoint,
                given == null ? consistency : given,
                deadline == null ? deadlineMicros : deadline,
                share(fields),
                lease == null ? leaseIntervalMicros : lease,
                report == null ? reportIntervalMicros : report,
                stores.read(fields, store),
                ScopeReader.read(fields, stores.regions(), scope),
                stores.regions().homeStore());
    }

    /** Returns this behaviour of a rule that counts in each region. */
    Behaviour inRegion() {
        return new Behaviour(
                onFail,
                onMissing,
                denyAs,
                endpointCase,
                consistency,
                deadlineMicros,
                localShare,
                leaseIntervalMicros,
                reportIntervalMicros,
                store,
                RegionScope.REGION,
                homeStore);
    }

    /** Returns this behaviour with another cause of denials. */
    Behaviour denying(Cause cause) {
        return new Behaviour(
                onFail,
                onMissing,
                cause,
                endpointCase,
                consistency,
                deadlineMicros,
                localShare,
                leaseIntervalMicros,
                reportIntervalMicros,
                store,
                scope,
                homeStore);
    }

    boolean ignoresCase() {
        return endpointCase == EndpointCase.IGNORE;
    }

    /** Reports a consistency that {@code limit} cannot have; {@code fields} are those of the rule. */
    void check(Fields fields, @Nullable Limit limit, boolean quota) {
        if (scope.isGlobal()) {
            checkGlobal(fields, limit, quota);
            return;
        }
        if (scope.isShared()) {
            checkShared(fields, limit, quota);
            return;
        }
        if (consistency != Consistency.LEASED && consistency != Consistency.REPORTED) {
            return;
        }
        String why = null;
        if (limit != null && limit.algorithm() == Algorithm.LEAKY_BUCKET) {
            why = "a leaky_bucket's delay needs one shared queue";
        } else if (limit != null && limit.algorithm() == Algorithm.CONCURRENCY && consistency == Consistency.REPORTED) {
            why = "permits are taken before a call, and cannot be reported after it";
        } else if (quota) {
            why = "quotas deny only together, so one store has to decide them all";
        }
        if (why != null) {
            Position at = fields.has("consistency") ? fields.at("consistency") : fields.at();
            String what = "consistency: " + Fields.nameOf(consistency);
            boolean permits = limit != null && limit.algorithm() == Algorithm.CONCURRENCY;
            String expected = permits ? "exact, leased or local" : "exact or local";
            fields.problems().error(at, what, why + "; expected: " + expected);
        }
    }

    /** Reports what a limit over all regions cannot have. */
    private void checkGlobal(Fields fields, @Nullable Limit limit, boolean quota) {
        Position at = fields.has(ScopeReader.NAME) ? fields.at(ScopeReader.NAME) : fields.at();
        String what = "scope: global";
        if (fields.has("consistency") && consistency != Consistency.LEASED) {
            fields.problems()
                    .error(
                            fields.at("consistency"),
                            "consistency: " + Fields.nameOf(consistency) + " with " + what,
                            "servers lease a global limit from the home region; expected: leased, or nothing");
        }
        checkStore(fields, at, what, "the home region's Redis counts it; remove one");
        String why = null;
        if (limit != null && limit.algorithm() == Algorithm.LEAKY_BUCKET) {
            why = "a leaky_bucket's delay needs one shared queue";
        } else if (limit != null && limit.algorithm() == Algorithm.CONCURRENCY) {
            why = "permits are counted in each region";
        } else if (quota) {
            why = "quotas deny only together, so one store has to decide them all";
        }
        if (why != null) {
            fields.problems().error(at, what, why + "; expected: region or slices");
        }
    }

    /** Reports what a count that regions share cannot have. */
    private void checkShared(Fields fields, @Nullable Limit limit, boolean quota) {
        Position at = fields.has(ScopeReader.NAME) ? fields.at(ScopeReader.NAME) : fields.at();
        String what = "scope: shared";
        if (fields.has("consistency")) {
            fields.problems()
                    .error(
                            fields.at("consistency"),
                            "consistency: " + Fields.nameOf(consistency) + " with " + what,
                            "the scope says how far regions may overshoot; remove one");
        }
        checkStore(fields, at, what, "each region's Redis counts it; remove one");
        if (limit != null && limit.algorithm() != Algorithm.FIXED_WINDOW) {
            String why = limit.algorithm() == Algorithm.CONCURRENCY
                    ? "permits are counted in each region"
                    : "only the counts of aligned windows can be added up";
            String expected = limit.algorithm() == Algorithm.CONCURRENCY
                    ? "region or slices"
                    : "algorithm: fixed_window, or scope: global or slices";
            fields.problems().error(at, what + " with " + limit.algorithm().text(), why + "; expected: " + expected);
        } else if (quota) {
            String why = "quotas deny only together, so one store has to decide them all";
            fields.problems().error(at, what, why + "; expected: region or slices");
        }
    }

    private void checkStore(Fields fields, Position at, String what, String hint) {
        boolean inherits = !store.equals(Rule.DEFAULT_STORE) && !store.equals(Rule.PER_SECOND_STORE);
        if (fields.has("store") || inherits) {
            Position named = fields.has("store") ? fields.at("store") : at;
            fields.problems().error(named, "store with " + what, hint);
        }
    }

    private Cause denyAs(Fields fields) {
        Scalar scalar = fields.scalar("deny_as");
        if (scalar == null) {
            return denyAs;
        }
        for (Cause each : DENY_AS) {
            if (String.valueOf(each.status()).equals(scalar.text())) {
                return each;
            }
        }
        String expected = "expected: 429, 503 or 403";
        fields.problems().error(scalar.at(), "deny_as: " + quote(scalar.text()), expected);
        return denyAs;
    }

    private static @Nullable Long deadline(Fields fields) {
        Long deadline = fields.duration("deadline", "ms");
        if (deadline == null || deadline <= LONG_DEADLINE_MICROS) {
            return deadline;
        }
        String what = "deadline: " + Durations.text(deadline);
        if (deadline > Rule.MOST_DEADLINE_MICROS) {
            fields.problems().error(fields.at("deadline"), what, "expected: an hour at most");
            return null;
        }
        String hint = "a request waits this long for a store that does not answer, before on_fail decides";
        fields.problems().warning(fields.at("deadline"), what, hint);
        return deadline;
    }

    private int share(Fields fields) {
        Scalar scalar = fields.scalar("local_share");
        if (scalar == null) {
            return localShare;
        }
        if (SHARE.matcher(scalar.text()).matches()) {
            int millionths = new BigDecimal(scalar.text()).movePointRight(6).intValueExact();
            if (millionths > 0 && millionths <= MILLION) {
                return millionths;
            }
        }
        String expected = "expected: a share above 0 and up to 1, like 0.25";
        fields.problems().error(scalar.at(), "local_share: " + quote(scalar.text()), expected);
        return localShare;
    }

    RuleBuilder applyTo(RuleBuilder rule) {
        boolean global = scope.isGlobal();
        return rule.onFail(onFail)
                .onMissing(onMissing)
                .denyAs(denyAs)
                .scope(scope)
                .consistency(global ? Consistency.LEASED : scope.isShared() ? Consistency.EXACT : consistency)
                .deadlineMicros(global && deadlineMicros == 0 ? GLOBAL_DEADLINE_MICROS : deadlineMicros)
                .localShare(localShare)
                .leaseIntervalMicros(leaseIntervalMicros)
                .reportIntervalMicros(reportIntervalMicros)
                .store(global && !homeStore.isEmpty() ? homeStore : scope.isShared() ? Rule.DEFAULT_STORE : store);
    }
}
