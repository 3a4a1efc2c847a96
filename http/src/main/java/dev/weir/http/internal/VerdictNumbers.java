package dev.weir.http.internal;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The numbers of a verdict for callers: whole seconds, rounded up, so that a caller that obeys them is not early. */
public final class VerdictNumbers {
    private static final long SECOND = 1_000_000;
    private static final long SHORT_WINDOW = 5 * SECOND;

    private final MutableVerdict verdict;
    private final Limit limit;
    private final long now;

    private VerdictNumbers(MutableVerdict verdict, Limit limit, long now) {
        this.verdict = verdict;
        this.limit = limit;
        this.now = now;
    }

    /** The numbers of {@code verdict}; null if it has no limit. */
    public static @Nullable VerdictNumbers of(MutableVerdict verdict, MutableDecision decision) {
        Limit limit = verdict.limit();
        return limit == null ? null : new VerdictNumbers(verdict, limit, decision.nowMicros());
    }

    /**
     * The numbers of the binding verdict; null without limits. A shadow rule is never shown to callers: clients that
     * adapt to the numbers would obey a limit that is not enforced.
     */
    public static @Nullable VerdictNumbers binding(MutableDecision decision) {
        MutableVerdict verdict = decision.binding();
        return verdict == null || verdict.shadow() ? null : of(verdict, decision);
    }

    public MutableVerdict verdict() {
        return verdict;
    }

    Limit limit() {
        return limit;
    }

    /** The rule's label; "override" for a limit that the caller gave. */
    public String name() {
        return name(verdict);
    }

    public static String name(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        return rule == null ? "override" : rule.label();
    }

    /** The unit that the rule counts; null for requests. */
    public @Nullable String unit() {
        Rule rule = verdict.rule();
        return rule == null || rule.unit().equals(Rule.REQUESTS) ? null : rule.unit();
    }

    /** The limit over all regions, of which this is the part of one; null if it is no part. */
    public @Nullable Long whole() {
        Rule rule = verdict.rule();
        Limit whole = rule == null ? null : rule.wholeOf(limit);
        return whole == null ? null : whole.requests();
    }

    public long remaining() {
        return Math.max(0, verdict.remaining());
    }

    /** The hits that were taken beyond the limit and are not repaid yet. */
    public long debt() {
        return verdict.debt();
    }

    /** The seconds until the counter is completely reset. */
    public long resetSeconds() {
        return ceil(verdict.resetMicros());
    }

    /** The milliseconds until the counter is completely reset. */
    long resetMillis() {
        return verdict.resetMicros() / 1_000 + (verdict.resetMicros() % 1_000 > 0 ? 1 : 0);
    }

    /** Whether the limit has fixed windows of a few seconds, of which whole seconds say too little. */
    boolean isShortWindow() {
        return limit.algorithm() == Algorithm.FIXED_WINDOW && limit.windowMicros() <= SHORT_WINDOW;
    }

    /** The time of the reset, in seconds since the epoch. */
    public long resetAt() {
        return ceil(now + verdict.resetMicros());
    }

    /** Whether the same request may pass later. */
    public boolean passesLater() {
        return verdict.retryAfterMicros() != MutableVerdict.NEVER
                && verdict.reason() == MutableVerdict.Reason.OVER_LIMIT;
    }

    /**
     * Whether the time of that is known. Of a degraded verdict it is not: the store may have room as soon as it is
     * reachable. Of a concurrency limit it is not either: a call in flight may end at any moment.
     */
    public boolean knowsWhen() {
        return passesLater() && !verdict.degraded() && !isConcurrency();
    }

    /** Whether the limit counts what is in flight, and has no window. */
    public boolean isConcurrency() {
        return limit.algorithm() == Algorithm.CONCURRENCY;
    }

    /**
     * Whether the store could not be asked and {@code on_fail} denied. The duration is unknown, so a retry after a
     * second is reasonable.
     */
    public boolean storeDown() {
        return verdict.reason() == MutableVerdict.Reason.STORE_DOWN;
    }

    public long retryAfterSeconds() {
        return Math.max(1, ceil(verdict.retryAfterMicros()));
    }

    /** The time at which the same hits would pass, rounded up to the millisecond. */
    public Instant passesAt() {
        long micros = now + verdict.retryAfterMicros();
        return Instant.ofEpochMilli(micros / 1_000 + (micros % 1_000 > 0 ? 1 : 0));
    }

    /** The total that {@link #remaining} is a part of; of a bucket with a higher burst, the burst. */
    public long quota() {
        return holdsMore() ? limit.burst() : limit.requests();
    }

    /** The size of a bucket that holds less than {@link #quota}, which a pacing client could not see; else 0. */
    public long burst() {
        return limit.algorithm().isBucket() && limit.burst() < limit.requests() ? limit.burst() : 0;
    }

    /** The seconds in which the quota is renewed: 10 a second with a burst of 20 is 20 in two seconds. */
    public long windowSeconds() {
        long window = limit.calendar() == null ? limit.windowMicros() : limit.windowEnd(now) - limit.windowStart(now);
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
     * The seconds within which no more than {@link #remaining} can be used: until the next hit flows into a bucket,
     * else until the window has room; after a denial, until the same hits would pass.
     */
    public long effectiveWindowSeconds() {
        if (passesLater()) {
            return retryAfterSeconds();
        }
        return limit.algorithm().isBucket()
                ? Math.min(resetSeconds(), ceil(limit.windowMicros() / Math.max(1, limit.requests())))
                : resetSeconds();
    }

    public static long ceil(long micros) {
        return micros / SECOND + (micros % SECOND > 0 ? 1 : 0);
    }
}
