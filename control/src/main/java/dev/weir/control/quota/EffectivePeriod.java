package dev.weir.control.quota;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A period that includes its start and excludes its end; null leaves that side open. */
final class EffectivePeriod {
    private EffectivePeriod() {}

    static boolean holds(@Nullable Instant from, @Nullable Instant until, Instant now) {
        return (from == null || !now.isBefore(from)) && (until == null || now.isBefore(until));
    }

    /** Returns the earlier of {@code soonest} and {@code moment}; a {@code moment} in the past is ignored. */
    static @Nullable Instant sooner(@Nullable Instant soonest, @Nullable Instant moment, Instant now) {
        if (moment == null || !moment.isAfter(now)) {
            return soonest;
        }
        return soonest == null || moment.isBefore(soonest) ? moment : soonest;
    }
}
