package dev.weir.server.rlqs;

import dev.weir.Request;
import dev.weir.internal.model.HeldHits;
import dev.weir.internal.model.HeldRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one Envoy for one bucket whose spending is not known yet.
 *
 * <h2>Why no hit is given back that is spent</h2>
 *
 * <p>A grant replaces the one before it, so only the newest can be spent. There is no acknowledgement: a report may have
 * been sent before Envoy read the newest grant. A grant is therefore <em>final</em> once a whole report interval has
 * passed since it was replaced, by this server's clock; every request that it let through has been reported by then.
 * Reports do not say which
 * grant paid. Their requests are charged to the final grants first: the others may still be spent in full. So, at all
 * times,
 *
 * <pre>given back ≤ granted − spent − what can still be spent</pre>
 *
 * <p>A grant that a limit has forgotten (its window is over) leaves the ledger as it is: spent. Requests that it let
 * through are then charged to a later grant, so that too little goes back and never too much.
 */
class GrantLedger {
    /**
     * A grant: {@code hits} that {@code paid} paid for; null if the failure policy granted them. It also paid for
     * {@code before} requests that had passed without a grant.
     */
    private static final class Grant {
        final long hits;
        final long before;
        final @Nullable Payment paid;
        final long untilWallMicros;
        boolean replaced;
        /** When a report first came after it was replaced. */
        long lastMicros = NONE;

        Grant(long hits, long before, @Nullable Payment paid, long untilWallMicros) {
            this.hits = hits;
            this.before = before;
            this.paid = paid;
            this.untilWallMicros = untilWallMicros;
        }
    }

    /** The part of a hold by which it is settled. Its request is that of the bucket, and is not kept for each grant. */
    record Payment(boolean local, long expiryMicros, List<HeldHits> held) {
        static Payment of(HeldRequest hold) {
            return new Payment(hold.local(), hold.expiryMicros(), hold.held());
        }

        /** The hold, which {@code request} asked for. */
        HeldRequest hold(Request request) {
            return new HeldRequest(0, 0, 0, local, expiryMicros, request, held);
        }

        /** When the first limit forgets the hits. */
        long untilMicros() {
            long least = Long.MAX_VALUE;
            for (HeldHits each : held) {
                least = Math.min(least, each.untilMicros());
            }
            return least;
        }
    }

    /**
     * A grant whose spending is known.
     *
     * @param returned the hits that were not spent
     * @param spent the others
     */
    record Settled(Payment paid, long returned, long spent) {}

    private static final long NONE = Long.MIN_VALUE;

    /** A little less than the five seconds between two reports: more of them settle nothing sooner. */
    private static final long INTERVAL_MICROS = 4_000_000;

    /** The most grants whose spending is not known: more than are made between three reports. */
    static final int MOST = 32;

    /** About the memory of a grant. */
    static final int GRANT_BYTES = 200;

    private final List<Grant> grants = new ArrayList<>();
    /** Reported requests that are charged to no grant yet. */
    private long spent;

    /**
     * Adds a grant, which replaces the one before.
     *
     * @param before the requests that had passed without a grant, which {@code paid} paid for too
     * @param most the most grants to keep; the hits of older ones stay spent
     */
    void granted(long hits, long before, @Nullable Payment paid, int most, long wallMicros) {
        replaced();
        forget(wallMicros);
        while (grants.size() >= most) {
            grants.remove(0);
        }
        grants.add(new Grant(hits, before, paid, paid == null ? Long.MAX_VALUE : paid.untilMicros()));
    }

    /** The number of grants. */
    int size() {
        return grants.size();
    }

    /** Notes that the newest grant was replaced, by another or by a blanket rule. */
    void replaced() {
        if (!grants.isEmpty()) {
            grants.get(grants.size() - 1).replaced = true;
        }
    }

    /** Takes a report of {@code allowed} requests, and returns the grants that are final now. */
    List<Settled> reported(long allowed, long nowMicros, long wallMicros) {
        forget(wallMicros);
        long open = open();
        spent = Math.min(open, spent + Math.min(allowed, open));
        List<Settled> settled = new ArrayList<>();
        for (Iterator<Grant> each = grants.iterator(); each.hasNext(); ) {
            Grant grant = each.next();
            if (grant.lastMicros != NONE && nowMicros - grant.lastMicros >= INTERVAL_MICROS) {
                each.remove();
                long charged = Math.min(grant.hits, spent);
                spent -= charged;
                if (grant.paid != null) {
                    settled.add(new Settled(grant.paid, grant.hits - charged, grant.before + charged));
                }
            } else if (grant.replaced && grant.lastMicros == NONE) {
                grant.lastMicros = nowMicros;
            }
        }
        return settled;
    }

    /** Removes grants whose hits a limit has forgotten. */
    private void forget(long wallMicros) {
        grants.removeIf(each -> wallMicros >= each.untilWallMicros);
    }

    /** The hits of all grants whose spending is not known. */
    long open() {
        long sum = 0;
        for (Grant each : grants) {
            sum += each.hits;
        }
        return sum;
    }
}
