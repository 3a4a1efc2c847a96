package dev.weir.server.rest;

import dev.weir.Limit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A verdict in the numbers that callers are told: whole seconds, rounded up, for the caller that obeys must not come early. */
final class VerdictNumbers {
    private static final long SECOND = 1_000_000;

    private final MutableVerdict verdict;
    private final Limit limit;
    private final long now;

    private VerdictNumbers(MutableVerdict verdict, Limit limit, long now) {
        this.verdict = verdict;
        this.limit = limit;
        this.now = now;
    }

    /** What may be told of {@code verdict}; null if it has no limit. */
    static @Nullable VerdictNumbers of(MutableVerdict verdict, MutableDecision decision) {
        Limit limit = verdict.limit();
        return limit == null ? null : new VerdictNumbers(verdict, limit, decision.nowMicros());
    }

    /**
     * The verdict that speaks for the decision; null without limits. A rule that only watches speaks to no caller: clients that
     * slow down by what they are told would obey a limit that is not in force.
     */
    static @Nullable VerdictNumbers binding(MutableDecision decision) {
        MutableVerdict verdict = decision.binding();
        return verdict == null || verdict.shadow() ? null : of(verdict, decision);
    }

    MutableVerdict verdict() {
        return verdict;
    }

    /** What people call the rule; a limit that the caller gave is its own. */
    String name() {
        return name(verdict);
    }

    static String name(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        return rule == null ? "override" : rule.label();
    }

    long remaining() {
        return Math.max(0, verdict.remaining());
    }

    /** Seconds until the counter is as good as new. */
    long resetSeconds() {
        return ceil(verdict.resetMicros());
    }

    /** The same as a time, in seconds since the epoch. */
    long resetAt() {
        return ceil(now + verdict.resetMicros());
    }

    /** Whether waiting helps. */
    boolean passesLater() {
        return verdict.retryAfterMicros() != MutableVerdict.NEVER
                && verdict.reason() == MutableVerdict.Reason.OVER_LIMIT;
    }

    /** Whether it is known when; what a server's share has no room for, the store may have room for as soon as it is back. */
    boolean knowsWhen() {
        return passesLater() && !verdict.degraded();
    }

    /** Whether nobody could count, and the rule says to deny then. Nobody knows for how long: it is worth a try in a second. */
    boolean storeDown() {
        return verdict.reason() == MutableVerdict.Reason.STORE_DOWN;
    }

    long retryAfterSeconds() {
        return Math.max(1, ceil(verdict.retryAfterMicros()));
    }

    /** When the same hits would pass, to the millisecond and not before. */
    Instant passesAt() {
        long micros = now + verdict.retryAfterMicros();
        return Instant.ofEpochMilli(micros / 1_000 + (micros % 1_000 > 0 ? 1 : 0));
    }

    /** What {@link #remaining} is a part of: a bucket that holds more than its requests is told as what it holds. */
    long quota() {
        return holdsMore() ? limit.burst() : limit.requests();
    }

    /** Seconds in which the quota comes anew: 10 a second with a burst of 20 is 20 in two seconds. */
    long windowSeconds() {
        long window = limit.windowMicros();
        if (holdsMore()) {
            long part = Long.divideUnsigned(window % limit.requests() * limit.burst(), limit.requests());
            window = window / limit.requests() * limit.burst() + part;
        }
        return Math.max(1, ceil(window));
    }

    private boolean holdsMore() {
        return limit.algorithm().isBucket() && limit.requests() > 0 && limit.burst() > limit.requests();
    }

    /**
     * Seconds within which no more than what remains can be used: until the next hit flows into a bucket, else until the window
     * makes room; after a denial, until the same hits would pass.
     */
    long effectiveWindowSeconds() {
        if (passesLater()) {
            return retryAfterSeconds();
        }
        return limit.algorithm().isBucket()
                ? Math.min(resetSeconds(), ceil(limit.windowMicros() / Math.max(1, limit.requests())))
                : resetSeconds();
    }

    static long ceil(long micros) {
        return micros / SECOND + (micros % SECOND > 0 ? 1 : 0);
    }
}
