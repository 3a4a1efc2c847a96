package dev.weir.internal.model;

import dev.weir.Cause;
import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.OnMissing;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rule: its limit and how it behaves. The rule set compiles which requests it matches. The {@code id} identifies its
 * counters; it survives reordering the file and raising the limit. The {@code name} is the one in the file, or empty.
 * The {@code label} is shown to people.
 */
public final class Rule {
    /** The store of a rule that names none. */
    public static final String DEFAULT_STORE = "default";

    /** The store, if there is one of this name, of limits per second in Envoy's format that name none. */
    public static final String PER_SECOND_STORE = "per_second";

    /** The lease and report interval of a rule that sets none, microseconds. */
    public static final long DEFAULT_INTERVAL_MICROS = 200_000;

    /** The longest {@link #deadlineMicros}: one hour. */
    public static final long MOST_DEADLINE_MICROS = 3_600_000_000L;

    /** The longest {@link #tarpitMicros}: ten seconds. */
    public static final long MOST_TARPIT_MICROS = 10_000_000;

    /** The unit of a rule that names none. */
    public static final String REQUESTS = "requests";

    /** The {@link #rollout} of a rule that denies every caller that is over: all of ten thousand. */
    public static final int EVERYONE = 10_000;

    /** The {@link #reserve} of a rule that is no capacity. */
    public static final int NO_RESERVE = -1;

    /** The largest {@link #reserve}, in thousandths. */
    public static final int MOST_RESERVE = 900;

    private final String domain;
    private final String id;
    private final String name;
    private final String label;
    private final @Nullable Limit limit;
    private final boolean shadow;
    private final int rollout;
    private final @Nullable SwitchState switched;
    private final boolean quota;
    private final boolean countsDenied;
    private final long cost;
    private final @Nullable EndpointCosts costs;
    private final boolean trustsCost;
    private final String unit;
    private final Consistency consistency;
    private final OnFail onFail;
    private final OnMissing onMissing;
    private final Cause denyAs;
    private final @Nullable Escalation escalation;
    private final long deadlineMicros;
    private final int localShare;
    private final long leaseIntervalMicros;
    private final long reportIntervalMicros;
    private final String store;
    private final RegionScope scope;
    private final @Nullable QueueBounds queue;
    private final long tarpitMicros;
    private final List<String> replaces;
    private final Map<String, ?> metadata;
    private final @Nullable LoadCurve follows;
    private final @Nullable ReputationScale reputation;
    private final int loadShare;
    private final int reserve;
    private final String source;
    private final int ordinal;
    private final boolean keyed;

    Rule(RuleBuilder b) {
        this.domain = b.domain;
        this.id = b.id;
        this.name = b.name;
        this.label = b.label.isEmpty() ? b.id : b.label;
        this.limit = b.limit;
        this.shadow = b.shadow;
        this.rollout = b.rollout;
        this.switched = b.switched;
        this.quota = b.quota;
        this.countsDenied = b.countsDenied;
        this.cost = b.cost;
        this.costs = b.costs;
        this.trustsCost = b.trustsCost;
        this.unit = b.unit;
        this.consistency = b.consistency;
        this.onFail = b.onFail;
        this.onMissing = b.onMissing;
        this.denyAs = b.denyAs;
        this.escalation = b.escalation;
        this.deadlineMicros = b.deadlineMicros;
        this.localShare = b.localShare;
        this.leaseIntervalMicros = b.leaseIntervalMicros;
        this.reportIntervalMicros = b.reportIntervalMicros;
        this.store = b.store;
        this.scope = b.scope;
        this.queue = b.queue;
        this.tarpitMicros = b.tarpitMicros;
        this.replaces = List.copyOf(b.replaces);
        this.metadata = b.metadata;
        this.follows = b.follows;
        this.reputation = b.reputation;
        this.loadShare = b.loadShare;
        this.reserve = b.reserve;
        this.source = b.source;
        this.ordinal = b.ordinal;
        this.keyed = b.keyed;
    }

    /** Starts a rule of {@code domain}; {@code id} identifies its counters. */
    public static RuleBuilder builder(String domain, String id) {
        return new RuleBuilder(domain, id);
    }

    public String domain() {
        return domain;
    }

    public String id() {
        return id;
    }

    public String name() {
        return name;
    }

    public String label() {
        return label;
    }

    /** The limit, or null if the rule says {@code unlimited} or is switched off. */
    public @Nullable Limit limit() {
        return limit;
    }

    /** Whether the rule counts and reports but never denies. */
    public boolean shadow() {
        return shadow;
    }

    /**
     * How many of ten thousand callers the rule denies when they are over; for the others it is in shadow mode. The
     * selection depends on the counter alone, so a selected caller stays selected as the number grows.
     */
    public int rollout() {
        return rollout;
    }

    /** The {@link #rollout} in percent, as people write it: {@code 25} or {@code 0.5}. */
    public String rolloutPercent() {
        return percent(rollout);
    }

    /** Formats a number of ten thousand in percent, as people write it. */
    public static String percent(int ofTenThousand) {
        return BigDecimal.valueOf(ofTenThousand, 2).stripTrailingZeros().toPlainString();
    }

    /** Whether the rule denies some callers and is in shadow mode for others. */
    public boolean isRollingOut() {
        return !shadow && rollout < EVERYONE;
    }

    /** The state that an operator switched the rule to, whatever its file says; null if no operator did. */
    public @Nullable SwitchState switched() {
        return switched;
    }

    /** Whether an operator switched the rule off. */
    public boolean isOff() {
        return switched == SwitchState.OFF;
    }

    /** Whether the rule denies only if every other quota rule of the request denies too. */
    public boolean quota() {
        return quota;
    }

    /** Whether the rule counts as Envoy's fixed window: denied hits count, and each descriptor counts on its own. */
    public boolean countsDenied() {
        return countsDenied;
    }

    /** The amount that one hit of a request takes from this limit. */
    public long cost() {
        return cost;
    }

    /** The cost of {@code hits} of a request; saturates at the largest number and its negative. */
    public long costOf(long hits) {
        if (cost == 1) {
            return hits;
        }
        long product = hits * cost;
        boolean fits = Math.multiplyHigh(hits, cost) == product >> 63 && product != Long.MIN_VALUE;
        return fits ? product : hits < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE;
    }

    /** The hits of requests by endpoint; null if a request takes one hit unless it says otherwise. */
    public @Nullable EndpointCosts costs() {
        return costs;
    }

    /** Whether a caller's own cost replaces {@link #costs}; otherwise it can only raise it. */
    public boolean trustsCost() {
        return trustsCost;
    }

    /** The unit that the rule counts, such as {@code output_tokens}; {@link #REQUESTS} if it names none. */
    public String unit() {
        return unit;
    }

    public Consistency consistency() {
        return consistency;
    }

    public OnFail onFail() {
        return onFail;
    }

    public OnMissing onMissing() {
        return onMissing;
    }

    /** The cause that a denial by this rule tells the caller. */
    public Cause denyAs() {
        return denyAs;
    }

    /** When the rule bans callers that it denies again and again; null if it never does. */
    public @Nullable Escalation escalation() {
        return escalation;
    }

    /** How long a decision may wait for the store, in microseconds; 0 for the server's default. */
    public long deadlineMicros() {
        return deadlineMicros;
    }

    /** Millionths of the limit that a node enforces alone under {@link OnFail#LOCAL}; 0 for the server's default. */
    public int localShare() {
        return localShare;
    }

    /** The target duration of a lease under {@link Consistency#LEASED}, in microseconds. */
    public long leaseIntervalMicros() {
        return leaseIntervalMicros;
    }

    /** The interval between reports under {@link Consistency#REPORTED}, in microseconds. */
    public long reportIntervalMicros() {
        return reportIntervalMicros;
    }

    /** The name of the shared store that counts for this rule. */
    public String store() {
        return store;
    }

    /** Over which regions the limit holds. */
    public RegionScope scope() {
        return scope;
    }

    /**
     * The limit over all regions, of which {@code inForce} is this region's part; null if that is no part of this rule's
     * limit.
     */
    public @Nullable Limit wholeOf(Limit inForce) {
        Limit whole = scope.whole();
        return whole != null && inForce.equals(limit) ? whole : null;
    }

    /** How requests over the limit wait for their turn; null if they are denied at once. */
    public @Nullable QueueBounds queue() {
        return queue;
    }

    /** How long a denial is delayed, in microseconds; 0 if it is answered at once. */
    public long tarpitMicros() {
        return tarpitMicros;
    }

    /** Names of the rules that this one replaces if a request matches both. */
    public List<String> replaces() {
        return replaces;
    }

    /**
     * The metadata that a passing descriptor returns to Envoy's filters: text, numbers, booleans, null, lists and maps.
     */
    public Map<String, ?> metadata() {
        return metadata;
    }

    /** How the limit follows the load of a service; null if it does not. */
    public @Nullable LoadCurve follows() {
        return follows;
    }

    /** How the limit shrinks for callers with a bad reputation; null if it does not. */
    public @Nullable ReputationScale reputation() {
        return reputation;
    }

    /** Thousandths of the written limit that are in force, because the rule {@link #follows} a load. */
    public int loadShare() {
        return loadShare;
    }

    /**
     * Whether the limit is the capacity of a service: all its requests count, and critical ones are never denied. Which
     * of the others are denied depends on their priority.
     */
    public boolean isCapacity() {
        return reserve != NO_RESERVE;
    }

    /** Thousandths of the capacity that only critical requests may use; {@link #NO_RESERVE} for any other rule. */
    public int reserve() {
        return reserve;
    }

    /** Where the rule was written, {@code rules.yaml:12:5} or {@code database}; empty if unknown. */
    public String source() {
        return source;
    }

    /**
     * The index of this rule in its rule set, from 0 without gaps, so that per-rule data can be an array; -1 for a rule
     * that is in no rule set.
     */
    public int ordinal() {
        return ordinal;
    }

    /** Whether the rule has a counter for each key that requests bring; false if all requests share one counter. */
    public boolean keyed() {
        return keyed;
    }

    /** A copy of this rule as an operator switched it; {@code rollout} applies to a rule that is on. */
    public Rule switchedTo(SwitchState state, int rollout) {
        RuleBuilder copy = new RuleBuilder(this);
        copy.switched = state;
        copy.shadow = state == SwitchState.SHADOW;
        copy.rollout = state == SwitchState.ON ? rollout : EVERYONE;
        if (state == SwitchState.OFF) {
            copy.limit = null;
        }
        if (state != SwitchState.ON) {
            // The rules that it replaced apply again: stopping a rule must not lift the limit altogether.
            copy.replaces = List.of();
        }
        return copy.build();
    }

    /**
     * A copy of this rule with the limits that are in force at a load.
     *
     * @param share thousandths of the written limit
     */
    public Rule underLoad(Limit limit, @Nullable ReputationScale reputation, int share) {
        RuleBuilder copy = new RuleBuilder(this);
        copy.limit = limit;
        copy.reputation = reputation;
        copy.loadShare = share;
        return copy.build();
    }

    /** A copy of this rule with the slices that {@code other} has, and its part of them. */
    public Rule slicedAs(Rule other) {
        RuleBuilder copy = new RuleBuilder(this);
        Limit whole = scope.whole();
        if (whole != null) {
            copy.scope = other.scope.of(whole);
            copy.limit = other.scope.partOf(whole);
            copy.reputation = other.reputation;
        }
        return copy.build();
    }

    /** A copy of this rule without a store of its own, whose hits take {@code times} as much. */
    public Rule weighted(long times) {
        RuleBuilder copy = new RuleBuilder(this);
        copy.cost = Math.multiplyExact(cost, times);
        copy.store = DEFAULT_STORE;
        return copy.build();
    }

    /** A copy of this rule at {@code ordinal} of a rule set, which knows whether it is keyed. */
    public Rule withOrdinal(int ordinal, boolean keyed) {
        RuleBuilder copy = new RuleBuilder(this);
        copy.ordinal = ordinal;
        copy.keyed = keyed;
        return copy.build();
    }

    @Override
    public String toString() {
        return domain + "/" + label;
    }
}
