package dev.weir.server.rlqs;

/**
 * The rate at which an Envoy asks for one bucket, by its reports:
 *
 * <pre>rate = max(asked / elapsed, 0.3 · rate)</pre>
 *
 * <p>A rise holds at once, a fall slowly, because a report is up to five seconds late. Elapsed time is the server's own:
 * Envoy cuts its figure to whole seconds, and sends 0 at first. The rate only sizes grants; it decides nothing.
 */
final class DemandEstimate {
    private static final double DECAY = 0.3;

    /** The least time between two readings, so that a burst of reports is not taken for a rate. */
    private static final long LEAST_MICROS = 1_000_000;

    private long sinceMicros;
    private double asked;
    private double perMicro;
    private boolean known;

    DemandEstimate(long nowMicros) {
        this.sinceMicros = nowMicros;
    }

    /** Adds a report of {@code more} requests. */
    void report(long more, long nowMicros) {
        asked += more;
        long elapsed = nowMicros - sinceMicros;
        if (elapsed >= LEAST_MICROS) {
            perMicro = Math.max(asked / elapsed, DECAY * perMicro);
            known = true;
            asked = 0;
            sinceMicros = nowMicros;
        }
    }

    /** Whether there was a report after the first one, which has no duration. */
    boolean isKnown() {
        return known;
    }

    /** The hits that it asks for in {@code micros}, rounded up. */
    long hitsIn(long micros) {
        return (long) Math.min(Math.ceil(perMicro * micros), AssignmentWriter.MOST_HITS);
    }
}
