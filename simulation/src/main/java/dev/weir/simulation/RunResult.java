package dev.weir.simulation;

import java.util.List;

/**
 * The result of a run.
 *
 * @param storeCalls calls of the script
 * @param storeChecks counters that they touched
 * @param kept requests that callers did not send because of a retry-after
 * @param events the number of events on the timeline
 * @param stranded hits that were taken and never used, if bounds were checked
 * @param violations bounds that were broken, if bounds were checked
 */
public record RunResult(
        long durationNanos,
        RunTally tally,
        long storeCalls,
        long storeChecks,
        long kept,
        long events,
        long stranded,
        List<String> violations) {

    public RunResult {
        violations = List.copyOf(violations);
    }

    /** The ratio of admitted requests to those that a single limiter would have admitted. */
    public double accuracy() {
        long ideal = tally.oracle().idealAdmitted();
        return ideal == 0 ? 1 : (double) tally.admitted() / ideal;
    }

    /** The share of all decisions that denied although there was room. */
    public double falseDenials() {
        return tally.decisions() == 0 ? 0 : (double) tally.oracle().falseDenials() / tally.decisions();
    }

    /** Decisions per call of the store. */
    public double decisionsPerCall() {
        return storeCalls == 0 ? tally.decisions() : (double) tally.decisions() / storeCalls;
    }
}
