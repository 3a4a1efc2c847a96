package dev.weir.internal.model;

import dev.weir.Cause;
import dev.weir.Limit;

/**
 * Chooses the binding verdict of a decision, the one that headers and messages describe. Denials come first, and of
 * several the one whose {@linkplain Cause cause} comes first, then the one with the longest retry-after. Denials of quota
 * rules come after other denials, because they may not have denied the request. Then comes the verdict with the least share of its limit left, and shadow rules come last. On
 * a tie the first wins.
 */
public final class BindingVerdict {
    /** The ranks of denials, by cause, are below this. */
    private static final int QUOTA_DENIAL = 4;

    private static final int ADMISSION = 5;
    private static final int SHADOW = 6;

    private BindingVerdict() {}

    /** Whether {@code verdict} is binding rather than {@code earlier}, which comes before it in the decision. */
    public static boolean isBefore(MutableVerdict verdict, MutableVerdict earlier) {
        int rank = rank(verdict);
        int earlierRank = rank(earlier);
        if (rank != earlierRank) {
            return rank < earlierRank;
        }
        if (rank <= QUOTA_DENIAL) {
            // NEVER is the largest
            return Long.compareUnsigned(verdict.retryAfterMicros(), earlier.retryAfterMicros()) > 0;
        }
        return hasLessLeft(verdict, earlier);
    }

    private static int rank(MutableVerdict verdict) {
        if (verdict.shadow()) {
            return SHADOW;
        }
        Cause cause = verdict.cause();
        if (cause == null) {
            return ADMISSION;
        }
        Rule rule = verdict.rule();
        return rule != null && rule.quota() ? QUOTA_DENIAL : rank(cause);
    }

    private static int rank(Cause cause) {
        return switch (cause) {
            case BANNED, NOT_ALLOWED -> 0;
            case QUOTA -> 1;
            case CAPACITY -> 2;
            case STORE_DOWN -> 3;
        };
    }

    /**
     * Compares remaining / capacity by cross multiplication in 128 bits; a verdict without a limit has the largest
     * share.
     */
    private static boolean hasLessLeft(MutableVerdict verdict, MutableVerdict other) {
        Limit limit = verdict.limit();
        Limit otherLimit = other.limit();
        if (limit == null || otherLimit == null) {
            return limit != null && otherLimit == null;
        }
        long capacity = Math.max(1, limit.size());
        long otherCapacity = Math.max(1, otherLimit.size());
        long high = Math.multiplyHigh(verdict.remaining(), otherCapacity);
        long otherHigh = Math.multiplyHigh(other.remaining(), capacity);
        return high != otherHigh
                ? high < otherHigh
                : Long.compareUnsigned(verdict.remaining() * otherCapacity, other.remaining() * capacity) < 0;
    }
}
