package dev.weir.internal.lease;

import dev.weir.Algorithm;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.GiveBackMargin;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Hits that a shared counter has been charged for and that this process may spend until they expire. Every hit of it is spent once,
 * given back once, or lost: all three go through one word, {@link #left}. The protocol is explored state by state in
 * {@code LeaseModelTest}.
 *
 * <h2>Time</h2>
 *
 * Its clock is the monotonic one and starts when it was asked for, which is before the store took the hits. A fixed window's lease
 * ends a round trip before its window at the latest. What has expired is never spent, however long the process was stopped: the
 * clock is read before each take.
 */
public final class Lease {
    /** What there is before the first one. */
    static final Lease NONE = new Lease(0, Lease.CLOSED, 0, 0);

    /** {@link #left} of a lease that was closed: what was in it has gone back, or is lost. */
    static final long CLOSED = -1;

    private static final VarHandle LEFT;

    static {
        try {
            LEFT = MethodHandles.lookup().findVarHandle(Lease.class, "left", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long hits;
    private final long expires;
    private final long returnable;

    @SuppressWarnings("FieldMayBeFinal") // written through LEFT
    private volatile long left;

    /** A lease of so many {@code hits} of which so many are {@code left}; the moments are those of {@link #isExpired} and {@link #isReturnable}. */
    Lease(long hits, long left, long expires, long returnable) {
        this.hits = hits;
        this.left = left;
        this.expires = expires;
        this.returnable = returnable;
    }

    /**
     * The lease of {@code hits} that a counter of {@code meter} granted, with {@code outcome} as things stood after that. Moments and
     * {@code ttl} are in nanoseconds.
     */
    static Lease of(Meter meter, long hits, Outcome outcome, long asked, long answered, long ttl) {
        long returnable = GiveBackMargin.untilNanos(meter, outcome, asked, answered);
        long lives = meter.limit().algorithm() == Algorithm.FIXED_WINDOW ? Math.min(ttl, returnable - asked) : ttl;
        return new Lease(hits, hits, asked + lives, returnable);
    }

    /** Takes {@code hits} at {@code now}, or nothing. */
    boolean take(long hits, long now) {
        if (isExpired(now)) {
            return false;
        }
        while (true) {
            long before = left;
            if (before < hits) {
                return false;
            }
            if (hits == 0 || LEFT.compareAndSet(this, before, before - hits)) {
                return before > 0 || hits > 0;
            }
        }
    }

    /** Puts back what was taken and not spent after all; false if the lease was closed in between. */
    boolean putBack(long hits) {
        while (true) {
            long before = left;
            if (before == CLOSED) {
                return false;
            }
            if (LEFT.compareAndSet(this, before, before + hits)) {
                return true;
            }
        }
    }

    /** Ends it: how many hits were left, which nobody takes any more. Of many who close it, one is told. */
    long close() {
        return Math.max(0, (long) LEFT.getAndSet(this, CLOSED));
    }

    boolean isExpired(long now) {
        return now - expires >= 0;
    }

    /** Whether hits sent back at {@code now} reach the window they came from, if they are under way no longer than {@code travel}. */
    boolean isReturnable(long now, long travel) {
        return GiveBackMargin.isInTime(returnable, now, travel);
    }

    long left() {
        return Math.max(0, left);
    }

    /** How many were granted. */
    long hits() {
        return hits;
    }

    long expires() {
        return expires;
    }

    long returnable() {
        return returnable;
    }
}
