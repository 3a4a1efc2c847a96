package dev.weir.internal.lease;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;

/** Gives the unspent hits of a lease back to the store. It is sent once; if it is lost, the hits count as spent. */
final class LeaseReturn extends Ask {
    private final Leases leases;

    LeaseReturn(Leases leases, Check like, Lease lease, long hits, long deadline) {
        this.leases = leases;
        Check check = checks.add();
        check.setReturning(like);
        check.hits = -hits;
        check.window = lease.window();
        deadlineNanos = deadline;
    }

    @Override
    public void answered() {
        leases.returned(checks.get(0));
    }
}
