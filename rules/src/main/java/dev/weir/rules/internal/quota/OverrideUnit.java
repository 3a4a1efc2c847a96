package dev.weir.rules.internal.quota;

import dev.weir.CalendarWindow;
import dev.weir.rules.internal.grammar.EnvoyUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The unit of an override: one of Envoy's, or a window of the calendar.
 *
 * @param text its name in request bodies and in the database
 * @param micros its length, of a window of the calendar that of the longest
 * @param calendar null for one of Envoy's
 */
public record OverrideUnit(
        String text, long micros, @Nullable CalendarWindow calendar) {
    private static final List<OverrideUnit> ALL = Stream.concat(
                    Stream.of(EnvoyUnit.values()).map(each -> new OverrideUnit(each.text(), each.micros(), null)),
                    Stream.of(CalendarWindow.values())
                            .map(each -> new OverrideUnit(each.text(), each.longestMicros(), each)))
            .toList();

    /** The names of all units. */
    public static final List<String> TEXTS =
            ALL.stream().map(OverrideUnit::text).toList();

    /** Returns the unit named {@code text}, in upper or lower case; null if there is none. */
    public static @Nullable OverrideUnit called(String text) {
        String name = text.toLowerCase(Locale.ROOT);
        for (OverrideUnit each : ALL) {
            if (each.text.equals(name)) {
                return each;
            }
        }
        return null;
    }
}
