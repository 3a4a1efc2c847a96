package dev.weir.internal.region;

/** Whether another region's store answers this process. */
final class RegionLink {
    /** How long an ask may wait before its region counts as silent. */
    static final long SILENT_NANOS = 1_000_000_000L;

    private final String region;
    /** Whether an ask was sent since the last answer, and when the first of them was. */
    private boolean waiting;

    private long waitingSinceNanos;
    private boolean heard;
    private long heardNanos;

    RegionLink(String region) {
        this.region = region;
    }

    String region() {
        return region;
    }

    synchronized void asked(long nanos) {
        if (!waiting) {
            waiting = true;
            waitingSinceNanos = nanos;
        }
    }

    /** Records an answer to an ask that was sent at {@code sentNanos}. */
    synchronized void answered(long sentNanos) {
        waiting = false;
        heardNanos = heard ? Math.max(heardNanos, sentNanos) : sentNanos;
        heard = true;
    }

    /** Nanoseconds until the region counts as silent, unless it answers before; 0 or less if it is silent. */
    synchronized long nanosUntilSilent(long nanos) {
        return waiting ? SILENT_NANOS - (nanos - waitingSinceNanos) : SILENT_NANOS;
    }

    /** How old the newest answer is, microseconds; -1 if there was none. */
    synchronized long ageMicros(long nanos) {
        return heard ? Math.max(0, nanos - heardNanos) / 1_000 : -1;
    }
}
