package dev.weir.simulation;

import java.util.List;

/**
 * What came of a run.
 *
 * @param storeCalls calls of the script
 * @param storeChecks counters that they touched
 * @param kept requests that callers did not send because they had been told to wait
 * @param events how much happened on the timeline
 * @param stranded hits that were taken and never used, where books were kept
 * @param violations bounds that did not hold, where books were kept
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

    /** Admitted requests to those that a limiter in one place would have let pass. */
    public double accuracy() {
        long ideal = tally.oracle().idealAdmitted();
        return ideal == 0 ? 1 : (double) tally.admitted() / ideal;
    }

    /** The share of all decisions that denied although there was room. */
    public double falseDenials() {
        return tally.decisions() == 0 ? 0 : (double) tally.oracle().falseDenials() / tally.decisions();
    }

    /** Decisions to each call of the store. */
    public double decisionsPerCall() {
        return storeCalls == 0 ? tally.decisions() : (double) tally.decisions() / storeCalls;
    }
}
