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

    void ready(long hits, long now, long wall, long deadline) {
        checks.get(0).ahead = hits;
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
