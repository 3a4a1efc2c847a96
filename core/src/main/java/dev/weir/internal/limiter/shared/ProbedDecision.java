package dev.weir.internal.limiter.shared;

import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.MutableVerdict;
import java.util.Locale;
import java.util.Map;

/**
 * How a request would be decided now. Nothing was taken: remaining hits and resets are those of the counters as they
 * are.
 *
 * @param origins where the answer for each counter comes from, by {@link MutableVerdict#counter}
 */
public record ProbedDecision(MutableDecision decision, Map<Long, Origin> origins) {

    /** Where the answer of a verdict comes from. */
    public enum Origin {
        /** The shared store of the counter. */
        STORE,
        /** The memory of this process, which alone has the counter. */
        MEMORY,
        /** A lease of this process. */
        LEASE,
        /** A denial of the store that this process repeats. */
        CACHED_DENIAL,
        /** The counter of this process, which reports to the store. */
        REPORTS,
        /** The rule's {@code on_fail}, because the store did not answer. */
        ON_FAIL;

        /** The word in JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Where {@code verdict}, one of the decision's, comes from; the memory of this process if nothing is counted. */
    public Origin origin(MutableVerdict verdict) {
        return origins.getOrDefault(verdict.counter(), Origin.MEMORY);
    }
}
