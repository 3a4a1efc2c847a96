package dev.weir.rules.internal.grammar;

import static dev.weir.text.message.PrintableText.quote;

import dev.weir.Algorithm;
import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.OnMissing;
import dev.weir.internal.model.Rule;
import dev.weir.internal.model.RuleBuilder;
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
        String store) {
    /** The fields that both formats have. */
    static final List<String> SHARED = List.of(
            "on_fail",
            "consistency",
            "deadline",
            "local_share",
            "lease_interval",
            "report_interval",
            "store",
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
            Rule.DEFAULT_STORE);

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
                store);
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
                stores.read(fields, store));
    }

    boolean ignoresCase() {
        return endpointCase == EndpointCase.IGNORE;
    }

    /** Reports a consistency that {@code limit} cannot have; {@code fields} are those of the rule. */
    void check(Fields fields, @Nullable Limit limit, boolean quota) {
        if (consistency != Consistency.LEASED && consistency != Consistency.REPORTED) {
            return;
        }
        String why = null;
        if (limit != null && limit.algorithm() == Algorithm.LEAKY_BUCKET) {
            why = "a leaky_bucket's delay needs one shared queue";
        } else if (limit != null && limit.algorithm() == Algorithm.CONCURRENCY) {
            why = "permits are counted where every server can release them";
        } else if (quota) {
            why = "quotas deny only together, so one store has to decide them all";
        }
        if (why != null) {
            Position at = fields.has("consistency") ? fields.at("consistency") : fields.at();
            String what = "consistency: " + Fields.nameOf(consistency);
            fields.problems().error(at, what, why + "; expected: exact or local");
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
        return rule.onFail(onFail)
                .onMissing(onMissing)
                .denyAs(denyAs)
                .consistency(consistency)
                .deadlineMicros(deadlineMicros)
                .localShare(localShare)
                .leaseIntervalMicros(leaseIntervalMicros)
                .reportIntervalMicros(reportIntervalMicros)
                .store(store);
    }
}
