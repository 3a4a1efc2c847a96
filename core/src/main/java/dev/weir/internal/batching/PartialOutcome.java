package dev.weir.internal.batching;

import dev.weir.internal.store.Check;

/** What the parts of an ask that were decided so far say of the whole. */
final class PartialOutcome {
    private boolean over;
    private boolean quotaOver;
    private boolean quotaPassed;
    private boolean failed;
    /** Parts with quotas that may yet pass. */
    private int quotas;

    /** Nothing is decided yet, of which so many parts have quotas; some may have passed elsewhere. */
    PartialOutcome(int quotas, boolean quotaPassed) {
        this.quotas = quotas;
        this.quotaPassed = quotaPassed;
    }

    void decided(AskPart part) {
        over |= part.isOver(Check.Role.ENFORCE);
        quotaOver |= part.isOver(Check.Role.QUOTA);
        quotaPassed |= part.quotaPassed();
        failed |= part.hasFailed();
        quotas -= part.hasQuota() ? 1 : 0;
    }

    /** Whether the request is denied; quotas only say so once all of them are decided. */
    boolean denies() {
        return over || (quotaOver && !quotaPassed && quotas == 0);
    }

    boolean quotaPassed() {
        return quotaPassed;
    }

    /** Whether some part had no answer. */
    boolean hasFailed() {
        return failed;
    }
}
