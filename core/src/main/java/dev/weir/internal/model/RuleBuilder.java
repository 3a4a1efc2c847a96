package dev.weir.internal.model;

import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.OnMissing;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds a rule; everything but domain, id and limit has a default. */
public final class RuleBuilder {
    final String domain;
    final String id;
    String name = "";
    String label = "";

    @Nullable
    Limit limit;

    boolean shadow;
    int rollout = Rule.EVERYONE;
    boolean quota;
    boolean countsDenied;
    long cost = 1;

    @Nullable
    EndpointCosts costs;

    boolean trustsCost;
    String unit = Rule.REQUESTS;
    Consistency consistency = Consistency.EXACT;
    OnFail onFail = OnFail.ALLOW;
    OnMissing onMissing = OnMissing.SKIP;
    Cause denyAs = Cause.QUOTA;

    @Nullable
    Escalation escalation;

    long deadlineMicros;
    int localShare;
    long leaseIntervalMicros = Rule.DEFAULT_INTERVAL_MICROS;
    long reportIntervalMicros = Rule.DEFAULT_INTERVAL_MICROS;
    String store = Rule.DEFAULT_STORE;
    RegionScope scope = RegionScope.REGION;

    @Nullable
    QueueBounds queue;

    long tarpitMicros;
    List<String> replaces = List.of();
    Map<String, ?> metadata = Map.of();

    @Nullable
    LoadCurve follows;

    @Nullable
    ReputationScale reputation;

    int reserve = Rule.NO_RESERVE;
    String source = "";

    // Set at run time: by load, by an operator's switch, and by the rule set that contains the rule.
    int loadShare = LoadCurve.WHOLE;

    @Nullable
    SwitchState switched;

    int ordinal = -1;
    boolean keyed;

    RuleBuilder(String domain, String id) {
        this.domain = Objects.requireNonNull(domain, "domain");
        this.id = Objects.requireNonNull(id, "id");
    }

    /** Starts from a copy of {@code rule}. */
    RuleBuilder(Rule rule) {
        this(rule.domain(), rule.id());
        this.name = rule.name();
        this.label = rule.label();
        this.limit = rule.limit();
        this.shadow = rule.shadow();
        this.rollout = rule.rollout();
        this.quota = rule.quota();
        this.countsDenied = rule.countsDenied();
        this.cost = rule.cost();
        this.costs = rule.costs();
        this.trustsCost = rule.trustsCost();
        this.unit = rule.unit();
        this.consistency = rule.consistency();
        this.onFail = rule.onFail();
        this.onMissing = rule.onMissing();
        this.denyAs = rule.denyAs();
        this.escalation = rule.escalation();
        this.deadlineMicros = rule.deadlineMicros();
        this.localShare = rule.localShare();
        this.leaseIntervalMicros = rule.leaseIntervalMicros();
        this.reportIntervalMicros = rule.reportIntervalMicros();
        this.store = rule.store();
        this.scope = rule.scope();
        this.queue = rule.queue();
        this.tarpitMicros = rule.tarpitMicros();
        this.replaces = rule.replaces();
        this.metadata = rule.metadata();
        this.follows = rule.follows();
        this.reputation = rule.reputation();
        this.loadShare = rule.loadShare();
        this.reserve = rule.reserve();
        this.source = rule.source();
        this.switched = rule.switched();
        this.ordinal = rule.ordinal();
        this.keyed = rule.keyed();
    }

    public RuleBuilder name(String name) {
        this.name = name;
        return this;
    }

    public RuleBuilder label(String label) {
        this.label = label;
        return this;
    }

    public RuleBuilder limit(Limit limit) {
        this.limit = limit;
        return this;
    }

    public RuleBuilder shadow(boolean shadow) {
        this.shadow = shadow;
        return this;
    }

    /** Sets how many of ten thousand callers the rule denies. */
    public RuleBuilder rollout(int ofTenThousand) {
        this.rollout = ofTenThousand;
        return this;
    }

    public RuleBuilder quota(boolean quota) {
        this.quota = quota;
        return this;
    }

    public RuleBuilder countsDenied(boolean countsDenied) {
        this.countsDenied = countsDenied;
        return this;
    }

    public RuleBuilder cost(long cost) {
        this.cost = cost;
        return this;
    }

    /** Sets the hits of requests by endpoint; null if each takes one. */
    public RuleBuilder costs(@Nullable EndpointCosts costs) {
        this.costs = costs;
        return this;
    }

    /** Sets whether a caller's own cost may be lower than {@code costs} say. */
    public RuleBuilder trustsCost(boolean trustsCost) {
        this.trustsCost = trustsCost;
        return this;
    }

    /** Sets the unit that the rule counts. */
    public RuleBuilder unit(String unit) {
        this.unit = unit;
        return this;
    }

    public RuleBuilder consistency(Consistency consistency) {
        this.consistency = consistency;
        return this;
    }

    public RuleBuilder onFail(OnFail onFail) {
        this.onFail = onFail;
        return this;
    }

    public RuleBuilder onMissing(OnMissing onMissing) {
        this.onMissing = onMissing;
        return this;
    }

    /** Sets the cause that a denial shows the caller: {@code QUOTA}, {@code CAPACITY} or {@code NOT_ALLOWED}. */
    public RuleBuilder denyAs(Cause cause) {
        this.denyAs = cause;
        return this;
    }

    public RuleBuilder escalation(@Nullable Escalation escalation) {
        this.escalation = escalation;
        return this;
    }

    public RuleBuilder deadlineMicros(long micros) {
        this.deadlineMicros = micros;
        return this;
    }

    public RuleBuilder localShare(int millionths) {
        this.localShare = millionths;
        return this;
    }

    public RuleBuilder leaseIntervalMicros(long micros) {
        this.leaseIntervalMicros = micros;
        return this;
    }

    public RuleBuilder reportIntervalMicros(long micros) {
        this.reportIntervalMicros = micros;
        return this;
    }

    public RuleBuilder store(String name) {
        this.store = name;
        return this;
    }

    /** Sets over which regions the limit holds. */
    public RuleBuilder scope(RegionScope scope) {
        this.scope = scope;
        return this;
    }

    /** Lets requests over the limit wait; null denies them at once. */
    public RuleBuilder queue(@Nullable QueueBounds bounds) {
        this.queue = bounds;
        return this;
    }

    public RuleBuilder tarpitMicros(long micros) {
        this.tarpitMicros = micros;
        return this;
    }

    public RuleBuilder replaces(List<String> names) {
        this.replaces = names;
        return this;
    }

    public RuleBuilder metadata(Map<String, ?> metadata) {
        this.metadata = metadata;
        return this;
    }

    public RuleBuilder follows(@Nullable LoadCurve curve) {
        this.follows = curve;
        return this;
    }

    /** Makes the limit the capacity of a service, with so many thousandths reserved for critical requests. */
    public RuleBuilder reserve(int thousandths) {
        this.reserve = thousandths;
        return this;
    }

    public RuleBuilder reputation(@Nullable ReputationScale scale) {
        this.reputation = scale;
        return this;
    }

    public RuleBuilder source(String where) {
        this.source = where;
        return this;
    }

    public Rule build() {
        if (cost < 0) {
            throw new IllegalArgumentException("cost: " + cost + " (expected: >= 0)");
        }
        if (leaseIntervalMicros < 1 || reportIntervalMicros < 1) {
            throw new IllegalArgumentException("lease_interval and report_interval: " + leaseIntervalMicros + " and "
                    + reportIntervalMicros + " (expected: > 0 microseconds)");
        }
        if (deadlineMicros < 0 || deadlineMicros > Rule.MOST_DEADLINE_MICROS) {
            throw new IllegalArgumentException(
                    "deadline: " + deadlineMicros + " (expected: 0 to " + Rule.MOST_DEADLINE_MICROS + " microseconds)");
        }
        if (localShare < 0 || localShare > 1_000_000) {
            throw new IllegalArgumentException("local_share: " + localShare + " (expected: 0 to 1000000 millionths)");
        }
        if (tarpitMicros < 0 || tarpitMicros > Rule.MOST_TARPIT_MICROS) {
            throw new IllegalArgumentException(
                    "tarpit: " + tarpitMicros + " (expected: 0 to " + Rule.MOST_TARPIT_MICROS + " microseconds)");
        }
        if (reserve < Rule.NO_RESERVE || reserve > Rule.MOST_RESERVE) {
            throw new IllegalArgumentException(
                    "reserve: " + reserve + " (expected: 0 to " + Rule.MOST_RESERVE + " thousandths)");
        }
        if (rollout < 0 || rollout > Rule.EVERYONE) {
            throw new IllegalArgumentException("rollout: " + rollout + " (expected: 0 to " + Rule.EVERYONE + ")");
        }
        return new Rule(this);
    }
}
