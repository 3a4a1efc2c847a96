package dev.weir.internal.lease;

/**
 * How many permits of a limit were acquired here lately: so many are asked for ahead. The lock of its {@link PermitLease}
 * guards it.
 */
final class PermitDemand {
    /** Acquired hits within this time are wanted ahead, nanoseconds. */
    private static final long SPAN = 200_000_000L;
    /** No node wants more ahead than one in so many permits. */
    private static final int MOST_AHEAD_PART = 16;

    private long since;
    private long current;
    private long before;

    PermitDemand(long now) {
        this.since = now;
    }

    void add(long hits, long now) {
        rotate(now);
        current += hits;
    }

    /** The permits to ask for beyond those that are needed, of a limit of {@code requests}. */
    long ahead(long requests, long now) {
        rotate(now);
        long most = Math.max(1, requests / MOST_AHEAD_PART);
        return Math.min(Math.max(current, before), most);
    }

    private void rotate(long now) {
        long past = now - since;
        if (past >= SPAN) {
            before = past >= 2 * SPAN ? 0 : current;
            current = 0;
            since = now;
        }
    }
}
