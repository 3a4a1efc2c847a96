package dev.weir.server.admin;

import dev.weir.CalendarWindow;
import dev.weir.Limit;
import dev.weir.text.fields.Durations;

/** Writes the window of a limit as rule files have it. */
final class WindowText {
    private WindowText() {}

    static String of(Limit limit) {
        CalendarWindow calendar = limit.calendar();
        return calendar == null ? Durations.text(limit.windowMicros()) : calendar.text();
    }
}
