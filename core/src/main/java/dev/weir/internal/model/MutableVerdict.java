package dev.weir.internal.model;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.LoadShedder.Priority;
import dev.weir.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of one check: whether it passes, the hits left, the time until reset, and when to retry. */
public final class MutableVerdict implements Verdict {
    /** The {@link #retryAfterMicros} of hits that can never fit. */
    public static final long NEVER = -1;

    private @Nullable Rule rule;
    private @Nullable Limit limit;
    private int descriptor;
    private long hits;
    private Reason reason = Reason.UNLIMITED;
    private long remaining;
    private long debt;
    private long resetMicros;
    private long retryAfterMicros;
    private long delayMicros;
    private long counter;
    private boolean degraded;
    private boolean leased;
    private boolean shadow;
    private @Nullable Priority priority;
    private boolean shed;

    /** Sets the outcome; the limiter reuses this buffer, and stores no reference that is there already. */
    @SuppressWarnings("ReferenceEquality")
    public MutableVerdict set(
            @Nullable Rule rule,
            @Nullable Limit limit,
            int descriptor,
            long hits,
            Reason reason,
            long remaining,
            long resetMicros,
            long retryAfterMicros,
            long delayMicros) {
        if (this.rule != rule) {
            this.rule = rule;
        }
        if (this.limit != limit) {
            this.limit = limit;
        }
        this.descriptor = descriptor;
        this.hits = hits;
        if (this.reason != reason) {
            this.reason = reason;
        }
        this.remaining = remaining;
        this.resetMicros = resetMicros;
        this.retryAfterMicros = retryAfterMicros;
        this.delayMicros = delayMicros;
        this.counter = 0;
        this.debt = 0;
        this.degraded = false;
        this.leased = false;
        this.shadow = rule != null && rule.shadow();
        this.priority = null;
        this.shed = false;
        return this;
    }

    /** Sets the counter's hash, for observers of how a rule's traffic spreads over counters. */
    public MutableVerdict counter(long hash) {
        this.counter = hash;
        return this;
    }

    /** Sets the hits that were taken beyond the limit. */
    public MutableVerdict debt(long hits) {
        this.debt = hits;
        return this;
    }

    /**
     * Tells what is left from what fits on credit. Of the hits that fit, the last ones are the limit's credit, and as
     * many of these as are missing are a debt. If nothing fits, it may be larger: {@code owed} hits.
     */
    public MutableVerdict credit(long credit, long fits, long owed) {
        this.remaining = Math.max(0, fits - credit);
        this.debt = fits > 0 ? Math.max(0, credit - fits) : Math.max(credit, owed);
        return this;
    }

    /** Clears the delay, because the request has waited for it. */
    void waited() {
        delayMicros = 0;
    }

    /** Marks a check that the failure policy decided, without the store. */
    public MutableVerdict degraded(boolean degraded) {
        this.degraded = degraded;
        return this;
    }

    /** Marks a check that was paid from a lease. */
    public MutableVerdict leased(boolean leased) {
        this.leased = leased;
        return this;
    }

    /** Marks a check that is in shadow mode, for this caller or for all. */
    public MutableVerdict shadow(boolean shadow) {
        this.shadow = shadow;
        return this;
    }

    /** Sets how important the request is to a service near its capacity, and whether its caller is shed. */
    public MutableVerdict priority(@Nullable Priority priority, boolean shed) {
        this.priority = priority;
        this.shed = shed;
        return this;
    }

    /** Copies everything from {@code other}. */
    public MutableVerdict set(MutableVerdict other) {
        set(
                other.rule,
                other.limit,
                other.descriptor,
                other.hits,
                other.reason,
                other.remaining,
                other.resetMicros,
                other.retryAfterMicros,
                other.delayMicros);
        return counter(other.counter)
                .debt(other.debt)
                .degraded(other.degraded)
                .shadow(other.shadow)
                .priority(other.priority, other.shed)
                .leased(other.leased);
    }

    /** The rule, or null if the request brought its own limit. */
    public @Nullable Rule rule() {
        return rule;
    }

    @Override
    public @Nullable String ruleName() {
        return rule == null ? null : rule.label();
    }

    /** The limit in force, or null if the rule says {@code unlimited}. */
    @Override
    public @Nullable Limit limit() {
        return limit;
    }

    /** The index of the request's descriptor that this check belongs to. */
    public int descriptor() {
        return descriptor;
    }

    @Override
    public long hits() {
        return hits;
    }

    @Override
    public Reason reason() {
        return reason;
    }

    /** The cause of the denial, shadow or not: that of the rule, unless its store did not answer. */
    @Override
    public @Nullable Cause cause() {
        if (allowed()) {
            return null;
        }
        if (reason == Reason.STORE_DOWN) {
            return Cause.STORE_DOWN;
        }
        return rule == null ? Cause.QUOTA : rule.denyAs();
    }

    /** Whether the limit itself had room, shadow or not. */
    @Override
    public boolean allowed() {
        return reason == Reason.WITHIN_LIMIT || reason == Reason.UNLIMITED;
    }

    /** Whether the check could not have denied: its rule is in shadow mode, for all or for this caller. */
    @Override
    public boolean shadow() {
        return shadow;
    }

    /** Whether the check is over its limit, but only in shadow mode. */
    public boolean shadowed() {
        return shadow && !allowed();
    }

    /** How important the request is; null unless the rule is the capacity of a service. */
    public @Nullable Priority priority() {
        return priority;
    }

    /** Whether the caller is among those that the service sheds; its counter was not asked. */
    public boolean isShed() {
        return shed;
    }

    /** Hits that still fit after this request, without credit. */
    @Override
    public long remaining() {
        return remaining;
    }

    @Override
    public long debt() {
        return debt;
    }

    /** Whether the hits passed, and some of them on credit. */
    public boolean onCredit() {
        return debt > 0 && hits > 0 && allowed();
    }

    /** Microseconds from now until the counter is as good as new. */
    public long resetMicros() {
        return resetMicros;
    }

    /**
     * Microseconds from now until the same hits would pass without other traffic. 0 if they passed, or if it is unknown
     * ({@link Reason#STORE_DOWN}); {@link #NEVER} if they never can.
     */
    public long retryAfterMicros() {
        return retryAfterMicros;
    }

    /** The delay that this check's shaper asks for; {@link MutableDecision#delayMicros} is the delay of the request. */
    public long delayMicros() {
        return delayMicros;
    }

    /** A hash of the counter, valid in this process only; 0 if nothing is counted. */
    public long counter() {
        return counter;
    }

    /**
     * Whether the store did not answer and the rule's {@code on_fail} decided. The times are then at most one second,
     * because the store may be back by then: a retry after {@link #retryAfter} is worth a try.
     */
    @Override
    public boolean degraded() {
        return degraded;
    }

    /** Whether a lease paid for the check and no store was asked; the remaining hits are as of the lease. */
    public boolean leased() {
        return leased;
    }

    /** The {@link #resetMicros} as a duration. */
    @Override
    public Duration reset() {
        return Duration.ofNanos(resetMicros * 1_000);
    }

    /** The {@link #delayMicros} as a duration. */
    @Override
    public Duration delay() {
        return Duration.ofNanos(delayMicros * 1_000);
    }

    /** The {@link #retryAfterMicros} as a duration, or null if the check never passes. */
    @Override
    public @Nullable Duration retryAfter() {
        return retryAfterMicros == NEVER ? null : Duration.ofNanos(retryAfterMicros * 1_000);
    }

    /** {@link VerdictSentence}. */
    @Override
    public String toString() {
        return VerdictSentence.of(this);
    }
}
