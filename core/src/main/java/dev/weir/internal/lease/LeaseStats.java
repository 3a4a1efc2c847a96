package dev.weir.internal.lease;

import java.util.concurrent.atomic.LongAdder;

/** Counts the leases and their hits since the start, for metrics. */
public final class LeaseStats {
    final LongAdder decisions = new LongAdder();
    final LongAdder denied = new LongAdder();
    final LongAdder taken = new LongAdder();
    final LongAdder hits = new LongAdder();
    final LongAdder returned = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder stranded = new LongAdder();
    final LongAdder refilled = new LongAdder();
    final LongAdder returns = new LongAdder();

    /** Counts a request that leases decided without asking a store. */
    public void decided() {
        decisions.increment();
    }

    /** Requests that were decided without asking a store. */
    public long decisions() {
        return decisions.sum();
    }

    /** Checks that were denied without asking, because their bucket is exhausted. */
    public long denied() {
        return denied.sum();
    }

    /** Leases that were granted. */
    public long taken() {
        return taken.sum();
    }

    /** Hits that were granted. */
    public long hits() {
        return hits.sum();
    }

    /** Hits that were given back and that the store has confirmed. */
    public long returned() {
        return returned.sum();
    }

    /** Leases that expired with unspent hits. */
    public long expired() {
        return expired.sum();
    }

    /** Hits that were neither spent nor given back: their window had ended, or the store did not confirm. */
    public long stranded() {
        return stranded.sum();
    }

    /** Unspent hits that were not given back, because their bucket was full again: no caller lacks them. */
    public long refilled() {
        return refilled.sum();
    }

    /** Times that hits were sent back to a store. */
    public long returns() {
        return returns.sum();
    }
}
