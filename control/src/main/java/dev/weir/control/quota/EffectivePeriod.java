package dev.weir.control.quota;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times from one moment on, until before another; null leaves that end open. */
final class EffectivePeriod {
    private EffectivePeriod() {}

    static boolean holds(@Nullable Instant from, @Nullable Instant until, Instant now) {
        return (from == null || !now.isBefore(from)) && (until == null || now.isBefore(until));
    }

    /** The earlier of {@code soonest} and {@code moment}, of which the latter counts only if it is still to come. */
    static @Nullable Instant sooner(@Nullable Instant soonest, @Nullable Instant moment, Instant now) {
        if (moment == null || !moment.isAfter(now)) {
            return soonest;
        }
        return soonest == null || moment.isBefore(soonest) ? moment : soonest;
    }
}
