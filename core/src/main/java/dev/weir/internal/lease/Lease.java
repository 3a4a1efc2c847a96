package dev.weir.internal.lease;

import dev.weir.Algorithm;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.store.GiveBackMargin;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Hits that a shared counter was charged for, and that this process may spend until they expire. Every hit is spent
 * once, given back once, or lost: all three change one word, {@link #left}. {@code LeaseModelTest} explores the
 * protocol state by state.
 *
 * <h2>Time</h2>
 *
 * <p>A lease ends by the monotonic clock or by the wall clock, whichever says so first. Its time starts when it was
 * asked for, before the store took the hits. A fixed window's lease ends one round trip before its window at the
 * latest. Expired hits are never spent, however long the process was stalled, because both clocks are read before each
 * take. The monotonic clock stands still while a machine is suspended, and the wall clock may be set back; a lease
 * outlives its window only if both happen during its life.
 */
public final class Lease {
    /** The initial lease, which is closed. */
    static final Lease NONE = new Lease(0, Lease.CLOSED, 0, 0, 0, 0);

    /** The {@link #left} of a closed lease, whose hits were given back or are lost. */
    static final long CLOSED = -1;

    /** The wall clock shows whole milliseconds, so it may show that much too little. */
    private static final long WALL_GRAIN_NANOS = 1_000_000;

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
    private final long expiresWall;
    private final long window;

    @SuppressWarnings("FieldMayBeFinal") // written through LEFT
    private volatile long left;

    /**
     * A lease of {@code hits}, of which {@code left} are unspent; {@link #isExpired} and {@link #isReturnable} explain
     * the moments, {@link #window} the last number.
     */
    Lease(long hits, long left, long expires, long returnable, long expiresWall, long window) {
        this.hits = hits;
        this.left = left;
        this.expires = expires;
        this.returnable = returnable;
        this.expiresWall = expiresWall;
        this.window = window;
    }

    /**
     * The lease of {@code hits} that a counter of {@code meter} granted; {@code outcome} is the state after that.
     * Moments and {@code ttl} are in nanoseconds, except {@code askedWall}, the wall clock when it was asked for.
     */
    static Lease of(Meter meter, long hits, Outcome outcome, long asked, long askedWall, long answered, long ttl) {
        long returnable = GiveBackMargin.untilNanos(meter, outcome, asked, answered);
        long rest = returnable - asked;
        boolean ends = meter.limit().algorithm() == Algorithm.FIXED_WINDOW;
        long lives = ends ? Math.min(ttl, rest) : ttl;
        long livesByWall = ends ? lives - WALL_GRAIN_NANOS : lives;
        return new Lease(
                hits, hits, asked + lives, returnable, askedWall + livesByWall / 1_000, meter.windowOf(outcome));
    }

    /** Takes {@code hits} at {@code now}, when the wall clock shows {@code wall}, or nothing. */
    boolean take(long hits, long now, long wall) {
        if (isExpired(now, wall)) {
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

    /** Puts back hits that were taken but not spent; returns false if the lease was closed in between. */
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

    /** Closes the lease and returns the unspent hits. If several threads close it, only one gets them. */
    long close() {
        return Math.max(0, (long) LEFT.getAndSet(this, CLOSED));
    }

    /** Whether it has ended at {@code now}, or by the wall clock, which shows {@code wall} microseconds. */
    boolean isExpired(long now, long wall) {
        return now - expires >= 0 || wall - expiresWall >= 0;
    }

    /**
     * Whether hits sent back at {@code now}, when the wall clock shows {@code wall}, reach the window they came from, if
     * they travel no longer than {@code travel}.
     */
    boolean isReturnable(long now, long wall, long travel) {
        return GiveBackMargin.isInTime(returnable, now, travel) && returnableWall() - wall > travel / 1_000;
    }

    long left() {
        return Math.max(0, left);
    }

    /** The number of hits granted. */
    long hits() {
        return hits;
    }

    /** The start of the fixed window that granted it, in the store's time; 0 with other algorithms. */
    long window() {
        return window;
    }

    long expires() {
        return expires;
    }

    long returnable() {
        return returnable;
    }

    long expiresWall() {
        return expiresWall;
    }

    /** {@link #returnable} by the wall clock: as long after {@link #expiresWall} as that is after {@link #expires}. */
    private long returnableWall() {
        return expiresWall + (returnable - expires) / 1_000;
    }
}
