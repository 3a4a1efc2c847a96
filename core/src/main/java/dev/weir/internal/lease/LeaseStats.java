package dev.weir.internal.lease;

import java.util.concurrent.atomic.LongAdder;

/** What became of leases, since the start: what metrics hang on. */
public final class LeaseStats {
    final LongAdder decisions = new LongAdder();
    final LongAdder denied = new LongAdder();
    final LongAdder taken = new LongAdder();
    final LongAdder hits = new LongAdder();
    final LongAdder returned = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder stranded = new LongAdder();
    final LongAdder returns = new LongAdder();

    /** Notes a request that was decided without asking a store, for everything that it takes was paid for. */
    public void decided() {
        decisions.increment();
    }

    /** Requests that were decided without asking a store. */
    public long decisions() {
        return decisions.sum();
    }

    /** Checks that were denied without asking, for their counter has run dry. */
    public long denied() {
        return denied.sum();
    }

    /** Leases that were granted. */
    public long taken() {
        return taken.sum();
    }

    /** Hits that were granted with them. */
    public long hits() {
        return hits.sum();
    }

    /** Hits that went back to their store, and that it has confirmed. */
    public long returned() {
        return returned.sum();
    }

    /** Leases that expired before they were spent. */
    public long expired() {
        return expired.sum();
    }

    /** Hits that were neither spent nor given back: their window had gone, or the store did not confirm. */
    public long stranded() {
        return stranded.sum();
    }

    /** Times that a store was sent hits back. */
    public long returns() {
        return returns.sum();
    }
}
