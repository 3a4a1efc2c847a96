package dev.weir.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * The leases that this process holds of one counter: the one being spent, and the next one if it came early. Spending
 * needs no lock; a thread that replaces a lease holds the counter's monitor.
 */
final class HeldLeases {
    /** The next lease is requested when a quarter is left. */
    private static final long LOW_WATER = 4;

    private volatile Lease current = Lease.NONE;
    private volatile @Nullable Lease next;
    /** Hits spent outside of the leases that are open. */
    private long spentBefore;

    /** A closed lease, and the hits that were left in it. */
    record Closed(Lease lease, long left) {}

    /** Whether {@code hits} can be spent at {@code now} by both clocks; another thread may be faster. */
    boolean cover(long hits, long now, long wall) {
        Lease first = current;
        Lease second = next;
        return (!first.isExpired(now, wall) && first.left() >= hits)
                || (second != null && !second.isExpired(now, wall) && second.left() >= hits);
    }

    /** Takes {@code hits} at {@code now}. Returns the lease they came from, or null if none has enough. */
    @Nullable
    Lease take(long hits, long now, long wall) {
        Lease first = current;
        if (first.take(hits, now, wall)) {
            return first;
        }
        Lease second = next;
        return second != null && second.take(hits, now, wall) ? second : null;
    }

    /** Whether each lease is below its low water mark. */
    boolean areLow() {
        Lease first = current;
        Lease second = next;
        return first.left() * LOW_WATER <= first.hits()
                && (second == null || second.left() * LOW_WATER <= second.hits());
    }

    boolean hasNext() {
        return next != null;
    }

    boolean areNone() {
        return current == Lease.NONE && next == null;
    }

    /** The hits that are held. */
    long left() {
        Lease second = next;
        return current.left() + (second == null ? 0 : second.left());
    }

    /** The hits that were ever spent here. */
    long spent() {
        Lease first = current;
        Lease second = next;
        long open = first.hits() - first.left();
        return spentBefore + open + (second == null ? 0 : second.hits() - second.left());
    }

    /** Adds hits that were spent without a lease. */
    void spentElsewhere(long hits) {
        spentBefore += hits;
    }

    /** Puts {@code lease} in use. Returns the lease that it replaced, or null. */
    @Nullable
    Lease accept(Lease lease) {
        Lease before = current;
        if (before.left() > 0) {
            next = lease;
            return null;
        }
        spentBefore += before.hits();
        current = lease;
        return before;
    }

    /** Replaces the current lease by the next one, if requests of {@code unit} hits cannot use it any more. */
    @Nullable
    Closed rotate(long unit, long now, long wall) {
        Lease first = current;
        boolean useless = first.left() == 0 || first.isExpired(now, wall) || (next != null && first.left() < unit);
        if (!useless || areNone()) {
            return null;
        }
        current = next == null ? Lease.NONE : next;
        next = null;
        return closed(first);
    }

    /** Closes the current lease if it has expired by {@code now}. */
    @Nullable
    Closed closeCurrent(long now, long wall) {
        return current.isExpired(now, wall) ? closeCurrent() : null;
    }

    /** Closes the next lease if it has expired by {@code now}. */
    @Nullable
    Closed closeNext(long now, long wall) {
        Lease second = next;
        return second != null && second.isExpired(now, wall) ? closeNext() : null;
    }

    @Nullable
    Closed closeCurrent() {
        Lease first = current;
        current = Lease.NONE;
        return first == Lease.NONE ? null : closed(first);
    }

    @Nullable
    Closed closeNext() {
        Lease second = next;
        next = null;
        return second == null ? null : closed(second);
    }

    /**
     * Closes leases of fixed windows before {@code window}, which the store counts in now. Returns the hits left in
     * them, which are lost.
     */
    long closeBefore(long window) {
        Lease first = current;
        Lease second = next;
        long lost = 0;
        if (second != null && second.window() < window) {
            next = null;
            lost += closed(second).left();
        }
        if (first != Lease.NONE && first.window() < window) {
            current = next == null ? Lease.NONE : next;
            next = null;
            lost += closed(first).left();
        }
        return lost;
    }

    /** Closes a lease; the hits spent from it stay counted. */
    private Closed closed(Lease lease) {
        long left = lease.close();
        spentBefore += lease.hits() - left;
        return new Closed(lease, left);
    }
}
