package dev.weir.server.rls;

import dev.weir.Cause;
import dev.weir.Limit;
import dev.weir.internal.model.MutableVerdict;
import dev.weir.internal.model.Rule;
import org.jspecify.annotations.Nullable;

/**
 * One descriptor's status in the protocol's terms: a view that {@link RlsAnswer} reuses for one descriptor after
 * another.
 */
public final class RlsStatus {
    /** The largest count of the protocol, which is also the remaining count of an {@code unlimited} rule. */
    public static final long MAX = 0xFFFF_FFFFL;

    private @Nullable MutableVerdict verdict;
    private @Nullable Limit limit;
    private boolean over;

    RlsStatus of(@Nullable MutableVerdict verdict, boolean over) {
        this.verdict = verdict;
        this.limit = verdict == null ? null : verdict.limit();
        this.over = over;
        return this;
    }

    /** {@link RlsCode#OK} or {@link RlsCode#OVER_LIMIT}. */
    public int code() {
        return over ? RlsCode.OVER_LIMIT : RlsCode.OK;
    }

    /** Whether there is a current limit, and so a time until reset. */
    public boolean limited() {
        return limit != null;
    }

    /** The current limit's requests. */
    public long requestsPerUnit() {
        return limit == null ? 0 : clamp(limit.requests());
    }

    public RlsUnit unit() {
        return limit == null ? RlsUnit.UNKNOWN : RlsUnit.of(limit);
    }

    /** The name of the limit in the rule file; empty if it has none, and for a limit that the caller gave. */
    public String name() {
        Rule rule = verdict == null ? null : verdict.rule();
        return rule == null ? "" : rule.name();
    }

    public long remaining() {
        MutableVerdict v = verdict;
        if (v == null) {
            return 0;
        }
        if (limit == null) {
            return v.allowed() ? MAX : 0;
        }
        // In Envoy's format, a caller over the limit has nothing remaining, even if fewer hits would have fitted.
        if (!v.allowed() && countsDenied(v)) {
            return 0;
        }
        // A bucket may hold more than its requests. Envoy passes both numbers on as headers, where a remaining count
        // above the limit would make no sense.
        return clamp(Math.min(v.remaining(), limit.requests()));
    }

    /**
     * Whole seconds, rounded up: Envoy truncates fractions, and a client that reads 0 would retry at once. 0, which is
     * not sent, for a denial that no wait cures: Envoy makes a Retry-After of it.
     */
    public long resetSeconds() {
        MutableVerdict v = verdict;
        if (v == null) {
            return 0;
        }
        Cause cause = over ? v.cause() : null;
        boolean retries = cause == null || cause.passesLater();
        return retries ? Math.max(1, ceilSeconds(v.resetMicros())) : 0;
    }

    private static boolean countsDenied(MutableVerdict verdict) {
        Rule rule = verdict.rule();
        return rule == null || rule.countsDenied();
    }

    private static long ceilSeconds(long micros) {
        return micros / 1_000_000 + (micros % 1_000_000 > 0 ? 1 : 0);
    }

    private static long clamp(long count) {
        return Math.max(0, Math.min(MAX, count));
    }
}
