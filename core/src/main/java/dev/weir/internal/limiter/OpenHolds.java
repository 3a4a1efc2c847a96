package dev.weir.internal.limiter;

import dev.weir.Request;
import dev.weir.internal.match.CallerHash;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The open holds on counters of this process alone. A hold may take no hits at all, so their number has bounds: one for
 * each caller, one for each peer that reserves for callers, and one for all. Thread-safe; the bounds may be exceeded by as
 * many holds as are decided at the same time.
 */
final class OpenHolds {
    static final int MOST = 100_000;
    static final int MOST_OF_PEER = MOST / 2;
    static final int MOST_OF_CALLER = MOST / 10;

    /** The least time between two searches for expired holds: while all are open, each request would search in vain. */
    private static final long SWEEP_MICROS = 1_000_000;

    /** A random id: two longs from a cryptographic generator, so that no caller can guess another's. */
    record Id(long id0, long id1) {}

    /** The owner of a hold: a hash of the caller, 0 if it is not known, and its peer, empty if there is none. */
    record Owner(int caller, String peer) {
        static Owner of(Request request, String peer) {
            return new Owner(CallerHash.of(request, 0) == 0 ? 0 : CallerHash.seeded(request), peer);
        }
    }

    private record Open(long expiryMicros, Owner owner) {}

    private final Map<Id, Open> open = new ConcurrentHashMap<>();
    private final Map<Object, Integer> byOwner = new ConcurrentHashMap<>();
    /** When expired holds were last searched for. */
    private final AtomicLong swept = new AtomicLong();

    int size() {
        return open.size();
    }

    /**
     * Requires room for one more hold of {@code owner}.
     *
     * @throws Holds.TooManyHoldsException if there is none
     */
    void requireRoom(Owner owner, long now) {
        if (fullFor(owner).isEmpty()) {
            return;
        }
        long last = swept.get();
        if (Math.abs(now - last) >= SWEEP_MICROS && swept.compareAndSet(last, now)) {
            open.forEach((id, each) -> {
                if (each.expiryMicros <= now) {
                    var unused = remove(id);
                }
            });
        }
        String full = fullFor(owner);
        if (!full.isEmpty()) {
            throw new Holds.TooManyHoldsException(full);
        }
    }

    /** The bound that is reached; empty if none is. */
    private String fullFor(Owner owner) {
        if (open.size() >= MOST) {
            return String.valueOf(MOST);
        }
        if (owner.caller != 0 && byOwner.getOrDefault(owner.caller, 0) >= MOST_OF_CALLER) {
            return MOST_OF_CALLER + " of this caller";
        }
        return !owner.peer.isEmpty() && byOwner.getOrDefault(owner.peer, 0) >= MOST_OF_PEER
                ? MOST_OF_PEER + " of this address"
                : "";
    }

    void add(Id id, long expiryMicros, Owner owner) {
        open.put(id, new Open(expiryMicros, owner));
        if (owner.caller != 0) {
            byOwner.merge(owner.caller, 1, Integer::sum);
        }
        if (!owner.peer.isEmpty()) {
            byOwner.merge(owner.peer, 1, Integer::sum);
        }
    }

    /** Removes a hold; false if it is not open. */
    boolean remove(Id id) {
        Open removed = open.remove(id);
        if (removed != null) {
            release(removed.owner.caller);
            release(removed.owner.peer);
        }
        return removed != null;
    }

    private void release(Object owner) {
        byOwner.computeIfPresent(owner, (of, count) -> count == 1 ? null : count - 1);
    }
}
