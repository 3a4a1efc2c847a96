package dev.weir.rules.internal.grammar;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.internal.match.keyby.KeyBy;
import dev.weir.internal.match.pattern.Condition;
import dev.weir.internal.match.pattern.ValuePattern;
import dev.weir.internal.match.weir.WeirRule;
import dev.weir.internal.model.EndpointCosts;
import dev.weir.internal.model.Escalation;
import dev.weir.internal.model.LoadCurve;
import dev.weir.internal.model.QueueBounds;
import dev.weir.internal.model.RegionScope;
import dev.weir.internal.model.ReputationScale;
import dev.weir.internal.model.Rule;
import dev.weir.rules.internal.regions.ScopeReader;
import dev.weir.text.diagnostics.Position;
import dev.weir.text.fields.Durations;
import dev.weir.text.fields.Fields;
import dev.weir.text.yaml.YamlNode;
import dev.weir.text.yaml.YamlNode.Entry;
import dev.weir.text.yaml.YamlNode.Mapping;
import dev.weir.text.yaml.YamlNode.Scalar;
import dev.weir.text.yaml.YamlNode.Sequence;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes a rule as the members of one rule in Weir's format, without name and domain. {@link SingleRule#read} reads the
 * same rule again, with the defaults of its file written out. Members that have their default value are left out.
 */
public final class RuleWriter {
    private static final Position NOWHERE = new Position(1, 1);
    private static final int MILLIONTHS = 6;

    private final List<Entry> members = new ArrayList<>();

    private RuleWriter() {}

    /** Writes {@code rule}; null is a rule that is not enabled. */
    public static Mapping write(@Nullable WeirRule rule) {
        RuleWriter writer = new RuleWriter();
        if (rule == null) {
            writer.add("enabled", plain("false"));
        } else {
            writer.rule(rule);
        }
        return new Mapping(NOWHERE, writer.members);
    }

    /** Writes the limit and the behaviour of a rule in Envoy's format, whose tree says what it matches. */
    public static Mapping writeLimit(Rule rule) {
        RuleWriter writer = new RuleWriter();
        writer.limit(written(rule));
        if (rule.shadow()) {
            writer.add("shadow", plain("true"));
        }
        writer.behaviour(rule);
        return new Mapping(NOWHERE, writer.members);
    }

    /** Describes for people which requests {@code rule} matches. */
    public static String matchText(WeirRule rule) {
        return rule.match().isEmpty()
                ? "everything"
                : rule.match().stream()
                        .map(each -> each.attribute() + "="
                                + each.anyOf().stream().map(ValuePattern::text).collect(Collectors.joining("|")))
                        .collect(Collectors.joining(", "));
    }

    /** Describes for people the attributes that select a counter: {@code user_id:api_key|ip}; empty for one counter. */
    public static String keyText(WeirRule rule) {
        return rule.keyBy().parts().stream().map(part -> String.join("|", part)).collect(Collectors.joining(":"));
    }

    private void rule(WeirRule rule) {
        match(rule.match());
        key(rule.keyBy());
        limit(written(rule.rule()));
        Rule of = rule.rule();
        if (of.cost() != 1) {
            add("cost", plain(String.valueOf(of.cost())));
        }
        pricing(of);
        if (of.shadow()) {
            add("shadow", plain("true"));
        } else if (of.isRollingOut()) {
            add("rollout", plain(of.rolloutPercent()));
        }
        over(of);
        follows(of.follows());
        if (of.isCapacity()) {
            add(Services.RESERVE, plain(thousandths(of.reserve())));
        }
        reputation(of.reputation());
        escalate(of.escalation());
        behaviour(of);
        if (rule.ignoresCase()) {
            add("endpoint_case", text(Fields.nameOf(Behaviour.EndpointCase.IGNORE)));
        }
    }

    private void follows(@Nullable LoadCurve curve) {
        if (curve == null) {
            return;
        }
        List<Entry> at = new ArrayList<>();
        for (LoadCurve.Point each : curve.points()) {
            at.add(new Entry(plain(thousandths(each.utilisation())), plain(thousandths(each.share()))));
        }
        add(
                "follows",
                new Mapping(
                        NOWHERE,
                        List.of(
                                new Entry(text("service"), text(curve.service())),
                                new Entry(text("at"), new Mapping(NOWHERE, at)),
                                new Entry(text("floor"), plain(thousandths(curve.floor()))))));
    }

    private void reputation(@Nullable ReputationScale scale) {
        if (scale != null) {
            List<Entry> steps = new ArrayList<>();
            for (ReputationScale.Step each : scale.steps()) {
                steps.add(new Entry(plain(String.valueOf(each.score())), plain(thousandths(each.share()))));
            }
            add(ReputationReader.NAME, new Mapping(NOWHERE, steps));
        }
    }

    private static String thousandths(int value) {
        return BigDecimal.valueOf(value, 3).stripTrailingZeros().toPlainString();
    }

    private void escalate(@Nullable Escalation escalation) {
        if (escalation != null) {
            add(
                    EscalationReader.NAME,
                    new Mapping(
                            NOWHERE,
                            List.of(
                                    new Entry(text("after"), plain(String.valueOf(escalation.after()))),
                                    new Entry(text("within"), text(Durations.text(escalation.withinMicros()))),
                                    new Entry(text("ban"), text(Durations.text(escalation.banMicros()))),
                                    new Entry(text("factor"), plain(String.valueOf(escalation.factor()))),
                                    new Entry(text("max"), text(Durations.text(escalation.maxMicros()))),
                                    new Entry(text("forget"), text(Durations.text(escalation.forgetMicros()))))));
        }
    }

    private void pricing(Rule rule) {
        if (!rule.unit().equals(Rule.REQUESTS)) {
            add("counts", text(rule.unit()));
        }
        EndpointCosts costs = rule.costs();
        if (costs != null) {
            List<Entry> entries = new ArrayList<>();
            for (EndpointCosts.Entry each : costs.entries()) {
                entries.add(new Entry(text(each.pattern()), plain(String.valueOf(each.hits()))));
            }
            add("costs", new Mapping(NOWHERE, entries));
        }
        if (rule.trustsCost()) {
            add("trust_cost", plain("true"));
        }
    }

    private void match(List<Condition> conditions) {
        if (conditions.isEmpty()) {
            return;
        }
        List<Entry> match = new ArrayList<>();
        for (Condition each : conditions) {
            List<YamlNode> values = new ArrayList<>();
            each.anyOf().forEach(one -> values.add(text(one.text())));
            match.add(new Entry(
                    text(each.attribute()), values.size() == 1 ? values.get(0) : new Sequence(NOWHERE, values)));
        }
        add("match", new Mapping(NOWHERE, match));
    }

    private void key(KeyBy key) {
        if (!key.parts().isEmpty()) {
            List<YamlNode> parts = new ArrayList<>();
            key.parts().forEach(each -> parts.add(text(String.join(" | ", each))));
            add("key_by", new Sequence(NOWHERE, parts));
        }
        if (key.ipv6Prefix() != KeyBy.DEFAULT_IPV6_PREFIX) {
            add("ipv6_prefix", plain(String.valueOf(key.ipv6Prefix())));
        }
    }

    /** The limit as it was written: over all regions, if they have slices of it. */
    private static @Nullable Limit written(Rule rule) {
        Limit whole = rule.scope().whole();
        return whole == null || rule.limit() == null ? rule.limit() : whole;
    }

    private void scope(RegionScope scope) {
        switch (scope.kind()) {
            case REGION -> {}
            case GLOBAL -> add(ScopeReader.NAME, text("global"));
            case SHARED -> add(ScopeReader.NAME, text("shared"));
            case SLICES -> {
                List<Entry> slices = new ArrayList<>();
                scope.slices().forEach((region, part) -> slices.add(new Entry(text(region), plain(share(part)))));
                Entry only = new Entry(text("slices"), new Mapping(NOWHERE, slices));
                add(ScopeReader.NAME, new Mapping(NOWHERE, List.of(only)));
            }
        }
    }

    private void limit(@Nullable Limit limit) {
        if (limit == null) {
            return;
        }
        CalendarWindow calendar = limit.calendar();
        List<Entry> of = new ArrayList<>();
        of.add(new Entry(text("requests"), plain(String.valueOf(limit.requests()))));
        String window = limit.algorithm() == Algorithm.CONCURRENCY ? "permit_ttl" : "window";
        of.add(new Entry(
                text(window), text(calendar == null ? Durations.text(limit.windowMicros()) : calendar.text())));
        of.add(new Entry(text("algorithm"), text(limit.algorithm().text())));
        if (limit.algorithm().isBucket() && limit.burst() != limit.requests()) {
            of.add(new Entry(text("burst"), plain(String.valueOf(limit.burst()))));
        }
        if (limit.credit() > 0) {
            of.add(new Entry(text("burst_credit"), plain(String.valueOf(limit.credit()))));
        }
        if (limit.subWindows() > 1) {
            of.add(new Entry(text("sub_windows"), plain(String.valueOf(limit.subWindows()))));
        }
        add("limit", new Mapping(NOWHERE, of));
    }

    private void over(Rule rule) {
        QueueBounds queue = rule.queue();
        if (queue != null) {
            Mapping bounds = new Mapping(
                    NOWHERE,
                    List.of(
                            new Entry(text("max_wait"), text(Durations.text(queue.maxWaitMicros()))),
                            new Entry(text("max_waiting"), plain(String.valueOf(queue.maxWaiting())))));
            add("over", new Mapping(NOWHERE, List.of(new Entry(text("queue"), bounds))));
        } else if (rule.tarpitMicros() > 0) {
            Mapping delay =
                    new Mapping(NOWHERE, List.of(new Entry(text("delay"), text(Durations.text(rule.tarpitMicros())))));
            add("over", new Mapping(NOWHERE, List.of(new Entry(text("tarpit"), delay))));
        }
    }

    private void behaviour(Rule rule) {
        Behaviour byDefault = Behaviour.DEFAULT;
        if (rule.onFail() != byDefault.onFail()) {
            add("on_fail", text(Fields.nameOf(rule.onFail())));
        }
        if (rule.onMissing() != byDefault.onMissing()) {
            add("on_missing", text(Fields.nameOf(rule.onMissing())));
        }
        if (rule.denyAs() != byDefault.denyAs()) {
            add("deny_as", plain(String.valueOf(rule.denyAs().status())));
        }
        scope(rule.scope());
        boolean global = rule.scope().isGlobal();
        if (!global && rule.consistency() != byDefault.consistency()) {
            add("consistency", text(Fields.nameOf(rule.consistency())));
        }
        long deadline = global ? Behaviour.GLOBAL_DEADLINE_MICROS : byDefault.deadlineMicros();
        duration("deadline", rule.deadlineMicros(), deadline);
        duration("lease_interval", rule.leaseIntervalMicros(), byDefault.leaseIntervalMicros());
        duration("report_interval", rule.reportIntervalMicros(), byDefault.reportIntervalMicros());
        if (rule.localShare() != byDefault.localShare()) {
            add("local_share", plain(share(rule.localShare())));
        }
        if (!global && !rule.store().equals(byDefault.store())) {
            add("store", text(rule.store()));
        }
    }

    private static String share(int millionths) {
        return BigDecimal.valueOf(millionths, MILLIONTHS).stripTrailingZeros().toPlainString();
    }

    private void duration(String name, long micros, long byDefault) {
        if (micros != byDefault) {
            add(name, text(Durations.text(micros)));
        }
    }

    private void add(String name, YamlNode value) {
        members.add(new Entry(text(name), value));
    }

    private static Scalar plain(String text) {
        return new Scalar(NOWHERE, text, true);
    }

    private static Scalar text(String text) {
        return new Scalar(NOWHERE, text, false);
    }
}
