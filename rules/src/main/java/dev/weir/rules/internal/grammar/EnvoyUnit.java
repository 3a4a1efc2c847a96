package dev.weir.rules.internal.grammar;

import dev.weir.text.fields.Durations;
import dev.weir.text.message.Suggestion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The units of Envoy's format. A month has 30 days and a year 365, as in envoyproxy/ratelimit. */
public enum EnvoyUnit {
    SECOND(1),
    MINUTE(60),
    HOUR(3_600),
    DAY(86_400),
    WEEK(7 * 86_400),
    MONTH(30 * 86_400),
    YEAR(365 * 86_400);

    public static final List<String> TEXTS =
            Arrays.stream(values()).map(EnvoyUnit::text).toList();

    private final long micros;

    EnvoyUnit(long seconds) {
        this.micros = seconds * 1_000_000;
    }

    public long micros() {
        return micros;
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the hint for {@code text}, which is not a unit. */
    static String hint(String text) {
        for (EnvoyUnit each : values()) {
            if (Durations.text(each.micros).equals(text)) {
                return Suggestion.meant(each.text());
            }
        }
        return Suggestion.among(text, TEXTS);
    }

    /** Returns the unit named {@code text}, in upper or lower case; null if there is none. */
    public static @Nullable EnvoyUnit called(String text) {
        for (EnvoyUnit each : values()) {
            if (each.name().equalsIgnoreCase(text)) {
                return each;
            }
        }
        return null;
    }
}
