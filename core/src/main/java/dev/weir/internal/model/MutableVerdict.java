package dev.weir.internal.model;

import dev.weir.Limit;
import dev.weir.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The outcome of one check: may it pass, what is left, when is it as good as new, and when would it pass. */
public final class MutableVerdict implements Verdict {
    /** {@link #retryAfterMicros} of hits that can never fit. */
    public static final long NEVER = -1;

    private static final int QUOTA_DENIAL = 1;

    private @Nullable Rule rule;
    private @Nullable Limit limit;
    private int descriptor;
    private long hits;
    private Reason reason = Reason.UNLIMITED;
    private long remaining;
    private long resetMicros;
    private long retryAfterMicros;
    private long delayMicros;
    private long counter;
    private boolean degraded;
    private boolean leased;
    private boolean shadow;

    /** Filled by the limiter, which reuses it. */
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
        this.rule = rule;
        this.limit = limit;
        this.descriptor = descriptor;
        this.hits = hits;
        this.reason = reason;
        this.remaining = remaining;
        this.resetMicros = resetMicros;
        this.retryAfterMicros = retryAfterMicros;
        this.delayMicros = delayMicros;
        this.counter = 0;
        this.degraded = false;
        this.leased = false;
        this.shadow = rule != null && rule.shadow();
        return this;
    }

    /** Names the counter, for whoever watches how a rule's traffic spreads. */
    public MutableVerdict counter(long hash) {
        this.counter = hash;
        return this;
    }

    /** Marks what the store had no part in. */
    public MutableVerdict degraded(boolean degraded) {
        this.degraded = degraded;
        return this;
    }

    /** Marks what was decided by hits that this process had paid for before. */
    public MutableVerdict leased(boolean leased) {
        this.leased = leased;
        return this;
    }

    /** Marks what is only watched, for this caller or for all. */
    public MutableVerdict shadow(boolean shadow) {
        this.shadow = shadow;
        return this;
    }

    /** Takes over everything that {@code other} says. */
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
                .degraded(other.degraded)
                .shadow(other.shadow)
                .leased(other.leased);
    }

    /** The rule, or null where the caller gave the limit. */
    public @Nullable Rule rule() {
        return rule;
    }

    @Override
    public @Nullable String ruleName() {
        return rule == null ? null : rule.label();
    }

    /** The limit in force, or null where the rule says {@code unlimited}. */
    @Override
    public @Nullable Limit limit() {
        return limit;
    }

    /** Which descriptor of the request this is about. */
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

    /** Whether the limit itself had room. */
    @Override
    public boolean allowed() {
        return reason == Reason.WITHIN_LIMIT || reason == Reason.UNLIMITED;
    }

    /** Whether it could not have denied: its rule only watches, everybody or this caller. */
    @Override
    public boolean shadow() {
        return shadow;
    }

    /** Whether this is over, and only watched. */
    public boolean shadowed() {
        return shadow && !allowed();
    }

    /** Hits that would still fit after this request. */
    @Override
    public long remaining() {
        return remaining;
    }

    /** From now until the counter is as good as new. */
    public long resetMicros() {
        return resetMicros;
    }

    /**
     * From now until the same hits would pass with no other traffic; 0 if they did, or if nobody knows ({@link
     * Reason#STORE_DOWN}), {@link #NEVER} if they cannot.
     */
    public long retryAfterMicros() {
        return retryAfterMicros;
    }

    /** How long a shaper asks the caller to wait before it goes on; what all of them ask for is {@link MutableDecision#delayMicros}. */
    public long delayMicros() {
        return delayMicros;
    }

    /** A hash of the counter, good for this process only; 0 where nothing is counted. */
    public long counter() {
        return counter;
    }

    /**
     * Whether the store did not answer and the rule's {@code on_fail} did in its place. Then what is told of the time is a second at
     * most, for the store may be back: after {@link #retryAfter} it is worth a try, and no more is known.
     */
    @Override
    public boolean degraded() {
        return degraded;
    }

    /** Whether it was paid for before, by a lease, and no store was asked; what remains is as of then. */
    public boolean leased() {
        return leased;
    }

    /** {@link #resetMicros}. */
    @Override
    public Duration reset() {
        return Duration.ofNanos(resetMicros * 1_000);
    }

    /** {@link #delayMicros}. */
    @Override
    public Duration delay() {
        return Duration.ofNanos(delayMicros * 1_000);
    }

    /** {@link #retryAfterMicros}, or null if it will never pass. */
    @Override
    public @Nullable Duration retryAfter() {
        return retryAfterMicros == NEVER ? null : Duration.ofNanos(retryAfterMicros * 1_000);
    }

    /**
     * Whether this speaks for a request rather than {@code other}, which comes before it. A denial speaks first, that of a
     * quota after the others', for it may not have denied the request; of several the one that lasts longest. Then what has
     * the least share of its limit left; then rules that only watch. On a tie it is the first.
     */
    public boolean bindsBefore(MutableVerdict other) {
        int rank = rank();
        int otherRank = other.rank();
        if (rank != otherRank) {
            return rank < otherRank;
        }
        if (rank <= QUOTA_DENIAL) {
            return Long.compareUnsigned(retryAfterMicros, other.retryAfterMicros) > 0; // NEVER is the largest
        }
        return hasLessLeftThan(other);
    }

    private int rank() {
        if (shadow) {
            return 3;
        }
        if (allowed()) {
            return 2;
        }
        return rule != null && rule.quota() ? QUOTA_DENIAL : 0;
    }

    /** Compares remaining / capacity by cross multiplication in 128 bits; without a limit the share is the largest. */
    private boolean hasLessLeftThan(MutableVerdict other) {
        if (limit == null || other.limit == null) {
            return limit != null && other.limit == null;
        }
        long capacity = Math.max(1, limit.capacity());
        long otherCapacity = Math.max(1, other.limit.capacity());
        long mine = Math.multiplyHigh(remaining, otherCapacity);
        long theirs = Math.multiplyHigh(other.remaining, capacity);
        return mine != theirs
                ? mine < theirs
                : Long.compareUnsigned(remaining * otherCapacity, other.remaining * capacity) < 0;
    }

    /** {@code denied by logins: 0 left (limit 5), passes again in PT12S}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(allowed() ? "allowed" : "denied");
        if (rule != null) {
            text.append(allowed() ? " under " : " by ").append(rule.label());
        }
        if (limit != null) {
            text.append(": ")
                    .append(remaining)
                    .append(" left (limit ")
                    .append(limit.capacity())
                    .append(')');
        }
        if (!allowed()) {
            boolean later = reason == Reason.OVER_LIMIT;
            text.append(later ? ", passes again in " + retryAfter() : ", " + reason);
        }
        return text.append(degraded ? ", degraded" : "").toString();
    }
}
