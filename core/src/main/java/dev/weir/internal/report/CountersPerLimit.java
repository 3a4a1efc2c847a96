package dev.weir.internal.report;

import dev.weir.internal.store.Check;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one counter, one for each limit that it was used with of late, because callers of one rule may have
 * their own limits. Each limit has its own answers: hits that exceed one may fit another. Immutable.
 */
final class CountersPerLimit {
    /** The most limits per counter. Further ones are asked exactly, so that lookups stay fast. */
    private static final int MOST = 16;

    private final ReportedCounter[] counters;

    private CountersPerLimit(ReportedCounter... counters) {
        this.counters = counters;
    }

    static CountersPerLimit of(ReportedCounter counter) {
        return new CountersPerLimit(counter);
    }

    ReportedCounter[] counters() {
        return counters;
    }

    /** The entry for the limit of {@code check}, if it reports to the store at {@code storeIndex}. */
    @Nullable
    ReportedCounter find(Check check, int storeIndex) {
        for (ReportedCounter each : counters) {
            if (each.isOf(check, storeIndex)) {
                return each;
            }
        }
        return null;
    }

    /** Whether the counter reports to the store at {@code storeIndex}. */
    boolean isAt(int storeIndex) {
        return counters[0].storeIndex() == storeIndex;
    }

    /**
     * A copy with {@code counter}; unchanged if it has an entry of the same limit, is full, or reports to another
     * store.
     */
    CountersPerLimit with(ReportedCounter counter) {
        int storeIndex = counter.storeIndex();
        if (counters.length == MOST || !isAt(storeIndex) || find(counter.check(), storeIndex) != null) {
            return this;
        }
        ReportedCounter[] more = Arrays.copyOf(counters, counters.length + 1);
        more[counters.length] = counter;
        return new CountersPerLimit(more);
    }

    /** A copy without {@code counter}; null if no entry is left, and unchanged if it was not there. */
    @Nullable
    CountersPerLimit without(ReportedCounter counter) {
        ReportedCounter[] rest =
                Arrays.stream(counters).filter(each -> each != counter).toArray(ReportedCounter[]::new);
        return rest.length == counters.length ? this : rest.length == 0 ? null : new CountersPerLimit(rest);
    }

    /**
     * The hits that passed here under limits other than that of {@code counter}, and that the store may not know of
     * yet.
     */
    long unreportedUnderOtherLimits(ReportedCounter counter) {
        long unreported = 0;
        for (ReportedCounter each : counters) {
            unreported = each == counter ? unreported : ReportBacklog.saturated(unreported, each.unreported());
        }
        return unreported;
    }
}
