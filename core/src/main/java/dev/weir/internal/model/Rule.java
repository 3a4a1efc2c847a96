package dev.weir.internal.model;

import dev.weir.Consistency;
import dev.weir.Limit;
import dev.weir.OnFail;
import dev.weir.OnMissing;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What to limit and how it behaves; whom it matches is compiled into the rule set. {@code id} is what its counters are known
 * by and survives reordering the file and raising the limit; {@code name} is the label the file gave, empty where it gave
 * none; {@code label} is what people are shown.
 */
public final class Rule {
    /** The store of a rule that names none. */
    public static final String DEFAULT_STORE = "default";

    /** How long a lease is meant to last, and how often counts are reported, where the rule does not say: microseconds. */
    public static final long DEFAULT_INTERVAL_MICROS = 200_000;

    /** The longest that {@link #deadlineMicros} may be: nobody waits an hour for a decision. */
    public static final long MOST_DEADLINE_MICROS = 3_600_000_000L;

    /** {@link #rollout} of a rule that denies whoever is over: every one of ten thousand. */
    public static final int EVERYONE = 10_000;

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
    private final Consistency consistency;
    private final OnFail onFail;
    private final OnMissing onMissing;
    private final long deadlineMicros;
    private final int localShare;
    private final long leaseIntervalMicros;
    private final long reportIntervalMicros;
    private final String store;
    private final List<String> replaces;
    private final Map<String, ?> metadata;
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
        this.consistency = b.consistency;
        this.onFail = b.onFail;
        this.onMissing = b.onMissing;
        this.deadlineMicros = b.deadlineMicros;
        this.localShare = b.localShare;
        this.leaseIntervalMicros = b.leaseIntervalMicros;
        this.reportIntervalMicros = b.reportIntervalMicros;
        this.store = b.store;
        this.replaces = List.copyOf(b.replaces);
        this.metadata = b.metadata;
        this.source = b.source;
        this.ordinal = b.ordinal;
        this.keyed = b.keyed;
    }

    /** Starts a rule of {@code domain} whose counters are known by {@code id}. */
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

    /** The limit, or null where the rule says {@code unlimited} or is switched off. */
    public @Nullable Limit limit() {
        return limit;
    }

    /** Counts and reports, never denies. */
    public boolean shadow() {
        return shadow;
    }

    /**
     * Of ten thousand callers, how many it denies when they are over; the others it only watches. Who is among them depends on
     * the counter alone, and stays among them as the number grows.
     */
    public int rollout() {
        return rollout;
    }

    /** {@link #rollout} in percent, as people write it: {@code 25} or {@code 0.5}. */
    public String rolloutPercent() {
        return percent(rollout);
    }

    /** So many of ten thousand in percent, as people write it. */
    public static String percent(int ofTenThousand) {
        return BigDecimal.valueOf(ofTenThousand, 2).stripTrailingZeros().toPlainString();
    }

    /** Whether it denies some callers and only watches others. */
    public boolean isRollingOut() {
        return !shadow && rollout < EVERYONE;
    }

    /** What it was switched to while it runs, whatever its file says; null where nobody did. */
    public @Nullable SwitchState switched() {
        return switched;
    }

    /** Whether it was switched off. */
    public boolean isOff() {
        return switched == SwitchState.OFF;
    }

    /** Denies only together with every other quota rule of the request. */
    public boolean quota() {
        return quota;
    }

    /** Envoy's fixed window: hits count even when they are denied, and each descriptor counts on its own. */
    public boolean countsDenied() {
        return countsDenied;
    }

    /** What one hit of a request takes from this limit. */
    public long cost() {
        return cost;
    }

    /** What {@code hits} of a request are to this rule: saturates at the largest number and its negative. */
    public long costOf(long hits) {
        if (cost == 1) {
            return hits;
        }
        long product = hits * cost;
        boolean fits = Math.multiplyHigh(hits, cost) == product >> 63 && product != Long.MIN_VALUE;
        return fits ? product : hits < 0 ? -Long.MAX_VALUE : Long.MAX_VALUE;
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

    /** How long a decision may wait for the store, in microseconds; 0 leaves it to the server. */
    public long deadlineMicros() {
        return deadlineMicros;
    }

    /** Millionths of the limit that a node enforces alone under {@link OnFail#LOCAL}; 0 leaves it to the server. */
    public int localShare() {
        return localShare;
    }

    /** How long a lease is meant to last under {@link Consistency#LEASED}, in microseconds. */
    public long leaseIntervalMicros() {
        return leaseIntervalMicros;
    }

    /** How often counts go up under {@link Consistency#REPORTED}, in microseconds. */
    public long reportIntervalMicros() {
        return reportIntervalMicros;
    }

    /** The name of the shared store that counts for it. */
    public String store() {
        return store;
    }

    /** Names of the rules that this one drops from a request that meets both. */
    public List<String> replaces() {
        return replaces;
    }

    /** What a descriptor that passes tells Envoy's filters, as the file gave it: text, numbers, truth, null, lists and maps. */
    public Map<String, ?> metadata() {
        return metadata;
    }

    /** Where it was written, {@code rules.yaml:12:5} or {@code database}; empty where nobody said. */
    public String source() {
        return source;
    }

    /**
     * Its place among the rules of the rule set it belongs to, from 0 without gaps, so that what is kept for each rule can be
     * an array; -1 for a rule that no rule set has taken in.
     */
    public int ordinal() {
        return ordinal;
    }

    /** Whether values that a request brings tell its counters apart; false where it has one for all. */
    public boolean keyed() {
        return keyed;
    }

    /** This rule as an operator has switched it; {@code rollout} is that of a rule that is on. */
    public Rule switchedTo(SwitchState state, int rollout) {
        RuleBuilder copy = new RuleBuilder(this);
        copy.switched = state;
        copy.shadow = state == SwitchState.SHADOW;
        copy.rollout = state == SwitchState.ON ? rollout : EVERYONE;
        if (state == SwitchState.OFF) {
            copy.limit = null;
        }
        if (state != SwitchState.ON) {
            // What it took the place of holds again: whoever stops a rule does not mean to lift the limit altogether.
            copy.replaces = List.of();
        }
        return copy.build();
    }

    /** This rule as the one at {@code ordinal} of a rule set, which knows whether it is keyed. */
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
