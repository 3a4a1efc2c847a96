package dev.weir.internal.report;

import dev.weir.internal.store.Check;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One counter under each of the limits that it was met under of late, for callers of one rule may have limits of their own. Each limit has
 * its own answers: what one has no room for, another may. It is never changed, but replaced.
 */
final class CountersPerLimit {
    /** Further ones are asked exactly, so that no look takes long. */
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

    /** The counter under the limit of {@code check}, if the store at {@code place} is told of it. */
    @Nullable
    ReportedCounter find(Check check, int place) {
        for (ReportedCounter each : counters) {
            if (each.isOf(check, place)) {
                return each;
            }
        }
        return null;
    }

    /** Whether the store at {@code place} is told of it. */
    boolean isAt(int place) {
        return counters[0].place() == place;
    }

    /** With {@code counter} too; as it is if it has one of the same limit, no room, or another store. */
    CountersPerLimit with(ReportedCounter counter) {
        int place = counter.place();
        if (counters.length == MOST || !isAt(place) || find(counter.check(), place) != null) {
            return this;
        }
        ReportedCounter[] more = Arrays.copyOf(counters, counters.length + 1);
        more[counters.length] = counter;
        return new CountersPerLimit(more);
    }

    /** Without {@code counter}; null if there is no other, and as it is if it was not there. */
    @Nullable
    CountersPerLimit without(ReportedCounter counter) {
        ReportedCounter[] rest =
                Arrays.stream(counters).filter(each -> each != counter).toArray(ReportedCounter[]::new);
        return rest.length == counters.length ? this : rest.length == 0 ? null : new CountersPerLimit(rest);
    }

    /** What passed here under other limits than that of {@code counter}, and its store may not know of yet. */
    long untoldBeside(ReportedCounter counter) {
        long untold = 0;
        for (ReportedCounter each : counters) {
            untold = each == counter ? untold : ReportBacklog.saturated(untold, each.untold());
        }
        return untold;
    }
}
