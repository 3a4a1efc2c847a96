package dev.weir.internal.lease;

import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;

/**
 * A node's report to the store about its permits under one limit, in one step: entries for the mailboxes of other
 * nodes, then the entries that it reads from its own mailbox, then its level.
 */
final class PermitReport extends Ask {
    private final PermitLease lease;
    private final LeasedPermits owner;
    /** When it was made, by two clocks. */
    final long asked;

    final long askedWall;
    /** How many of the checks, the first ones, are entries for the mailboxes of others. */
    int mailed;
    /** The number of the ask for a level, which is the last check; 0 if there is none. */
    long number;

    long wanted;

    PermitReport(PermitLease lease, LeasedPermits owner, long now, long wall) {
        this.lease = lease;
        this.owner = owner;
        this.asked = now;
        this.askedWall = wall;
    }

    void add(Check like, PermitLevels meter) {
        Check check = checks.add();
        check.set(like);
        check.meter = meter;
    }

    @Override
    public void answered() {
        owner.reported(lease, lease.reported(this, owner.now()));
    }
}
