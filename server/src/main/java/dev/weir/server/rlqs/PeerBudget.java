package dev.weir.server.rlqs;

import java.util.HashMap;
import java.util.Map;

/**
 * A budget that streams share, of which every address leaves as much as it takes. With {@code rest} for what nobody has
 * taken,
 *
 * <pre>taken by an address ≤ rest        taken by a stream ≤ rest / 2</pre>
 *
 * <p>So an address that is alone may take half, a stream that is alone a third, and whoever comes later still finds half
 * of what the others left. Thread-safe.
 */
final class PeerBudget {
    private final long most;
    private final Map<String, Long> byAddress = new HashMap<>();
    private long used;

    PeerBudget(long most) {
        this.most = most;
    }

    /** The part of one stream. */
    final class Share {
        private final String address;
        private long own;

        private Share(String address) {
            this.address = address;
        }

        /** Takes {@code amount} if the bounds allow it; returns whether they do. */
        boolean take(long amount) {
            synchronized (PeerBudget.this) {
                boolean fits = hasRoom(amount);
                if (fits) {
                    add(amount);
                }
                return fits;
            }
        }

        /** Whether {@link #take} would take {@code amount}. */
        boolean hasRoom(long amount) {
            synchronized (PeerBudget.this) {
                long rest = most - used - amount;
                return 2 * (own + amount) <= rest && ofAddress() + amount <= rest;
            }
        }

        /** Takes {@code amount}, also beyond the bounds, or gives it back if it is negative. */
        void add(long amount) {
            synchronized (PeerBudget.this) {
                own += amount;
                used += amount;
                byAddress.merge(address, amount, (before, more) -> before + more == 0 ? null : before + more);
            }
        }

        /** Whether three quarters are used up of what it may take while the others keep theirs. */
        boolean isNearlyFull() {
            synchronized (PeerBudget.this) {
                long rest = most - used;
                // A stream may have (rest + own) / 3 in all, an address (rest + its own) / 2.
                return 3 * own > rest || 5 * ofAddress() > 3 * rest;
            }
        }

        private long ofAddress() {
            return byAddress.getOrDefault(address, 0L);
        }
    }

    /** The part of a new stream from {@code address}, which has taken nothing yet. */
    Share share(String address) {
        return new Share(address);
    }

    /** The sum that all have taken. */
    synchronized long used() {
        return used;
    }
}
