package dev.weir.rules.internal.quota;

import dev.weir.CalendarWindow;
import dev.weir.internal.match.override.LimitOverride;
import org.jspecify.annotations.Nullable;

/**
 * A limit for one caller on one descriptor, as people write it.
 *
 * @param burst null: follows the requests
 */
public record WrittenOverride(
        String descriptor,
        long requestsPerUnit,
        OverrideUnit unit,
        @Nullable Long burst) {

    /**
     * Returns the override as the decision path uses it.
     *
     * @throws IllegalArgumentException if the descriptor has a malformed address, or a number is out of range
     */
    public LimitOverride compiled() {
        CalendarWindow calendar = unit.calendar();
        return calendar == null
                ? new LimitOverride(descriptor, requestsPerUnit, unit.micros(), burst)
                : new LimitOverride(descriptor, requestsPerUnit, calendar);
    }
}
