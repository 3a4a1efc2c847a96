package dev.weir.server.counters;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.text.fields.Durations;

/** Writes the window of a limit as rule files have it. */
public final class WindowText {
    private WindowText() {}

    /** The field of a rule file that has it: permits last for a while, and have no window. */
    public static String nameOf(Limit limit) {
        return limit.algorithm() == Algorithm.CONCURRENCY ? "permit_ttl" : "window";
    }

    public static String of(Limit limit) {
        CalendarWindow calendar = limit.calendar();
        return calendar == null ? Durations.text(limit.windowMicros()) : calendar.text();
    }
}
