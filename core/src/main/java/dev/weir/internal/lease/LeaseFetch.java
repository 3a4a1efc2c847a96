package dev.weir.internal.lease;

import dev.weir.internal.store.Ask;
import dev.weir.internal.store.Check;

/** Asks for the next lease of a counter in the background, before the last one is spent. Each counter reuses one. */
final class LeaseFetch extends Ask {
    private final Leases leases;
    private final LeasedCounter counter;
    private long asked;
    private long askedWall;

    LeaseFetch(Leases leases, LeasedCounter counter, Check like) {
        this.leases = leases;
        this.counter = counter;
        Check check = checks.add();
        check.set(like);
        check.hits = 0;
        check.countsDenied = false;
        check.role = Check.Role.ENFORCE;
    }

    /** The check that identifies the counter in every ask. */
    Check check() {
        return checks.get(0);
    }

    /** Prepares an ask for a lease of {@code hits}, which the store keeps as {@code grant}. */
    void ready(long hits, long grant, long now, long wall, long deadline) {
        Check check = checks.get(0);
        check.ahead = hits;
        check.lessee = counter.lessee();
        check.grant = grant;
        check.again = false;
        begin(now, wall, deadline);
    }

    /** Prepares an ask for {@code grant} again, whose answer did not come. */
    void again(long grant, long now, long wall, long deadline) {
        ready(1, grant, now, wall, deadline);
        checks.get(0).again = true;
    }

    private void begin(long now, long wall, long deadline) {
        checks.get(0).granted = 0;
        asked = now;
        askedWall = wall;
        deadlineNanos = deadline;
    }

    @Override
    public void answered() {
        counter.answered(checks.get(0), 0, asked, askedWall);
        leases.answeredOne();
    }
}
