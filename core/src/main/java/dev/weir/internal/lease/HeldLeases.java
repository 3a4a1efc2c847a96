package dev.weir.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * The leases that are held of one counter: the one that is being spent, and the next one if it came early. Spending from them needs no
 * lock; whoever changes which they are has the counter's monitor.
 */
final class HeldLeases {
    /** The next lease is wanted when a quarter is left. */
    private static final long LOW_WATER = 4;

    private volatile Lease current = Lease.NONE;
    private volatile @Nullable Lease next;
    /** Hits spent outside of the leases that are open. */
    private long spentBefore;

    /** A lease that nobody spends any more, and what was left of it. */
    record Closed(Lease lease, long left) {}

    /** Whether {@code hits} are here to be spent at {@code now}; somebody else may be faster. */
    boolean cover(long hits, long now) {
        Lease first = current;
        Lease second = next;
        return (!first.isExpired(now) && first.left() >= hits)
                || (second != null && !second.isExpired(now) && second.left() >= hits);
    }

    /** Takes {@code hits} at {@code now}: from which lease, or null if none has as many. */
    @Nullable
    Lease take(long hits, long now) {
        Lease first = current;
        if (first.take(hits, now)) {
            return first;
        }
        Lease second = next;
        return second != null && second.take(hits, now) ? second : null;
    }

    /** Whether little is left of each. */
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

    /** Hits that are held. */
    long left() {
        Lease second = next;
        return current.left() + (second == null ? 0 : second.left());
    }

    /** Hits that were ever spent here. */
    long spent() {
        Lease first = current;
        Lease second = next;
        long open = first.hits() - first.left();
        return spentBefore + open + (second == null ? 0 : second.hits() - second.left());
    }

    /** Hits were spent that no lease had. */
    void spentElsewhere(long hits) {
        spentBefore += hits;
    }

    /** Puts {@code lease} in use; which one is not any more, or null. */
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

    /** If the current lease is of no use any more to requests of {@code unit}, the next one takes its place. */
    @Nullable
    Closed rotate(long unit, long now) {
        Lease first = current;
        boolean useless = first.left() == 0 || first.isExpired(now) || (next != null && first.left() < unit);
        if (!useless || areNone()) {
            return null;
        }
        current = next == null ? Lease.NONE : next;
        next = null;
        return closed(first);
    }

    /** Closes the current lease if it has expired by {@code now}. */
    @Nullable
    Closed closeCurrent(long now) {
        return current.isExpired(now) ? closeCurrent() : null;
    }

    /** Closes the next lease if it has expired by {@code now}. */
    @Nullable
    Closed closeNext(long now) {
        Lease second = next;
        return second != null && second.isExpired(now) ? closeNext() : null;
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

    /** What was spent of it stays spent. */
    private Closed closed(Lease lease) {
        long left = lease.close();
        spentBefore += lease.hits() - left;
        return new Closed(lease, left);
    }
}
