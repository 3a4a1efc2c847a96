package dev.weir.server.counters;

import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.text.fields.Durations;

/** Writes the window of a limit as rule files have it. */
public final class WindowText {
    private WindowText() {}

    public static String of(Limit limit) {
        CalendarWindow calendar = limit.calendar();
        return calendar == null ? Durations.text(limit.windowMicros()) : calendar.text();
    }
}
