package dev.weir.server.rls;

import dev.weir.Algorithm;
import dev.weir.CalendarWindow;
import dev.weir.Limit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The protocol's units, which are the only windows it can name. A month is 30 days or one of the calendar, a year 365
 * days.
 */
public enum RlsUnit {
    // In the order of their numbers on the wire: see BY_NUMBER.
    UNKNOWN(0, Duration.ZERO),
    SECOND(1, Duration.ofSeconds(1)),
    MINUTE(2, Duration.ofMinutes(1)),
    HOUR(3, Duration.ofHours(1)),
    DAY(4, Duration.ofDays(1)),
    MONTH(5, Duration.ofDays(30)),
    YEAR(6, Duration.ofDays(365)),
    WEEK(7, Duration.ofDays(7));

    private static final RlsUnit[] BY_NUMBER = values();

    private final int number;
    private final Duration window;
    private final long micros;

    RlsUnit(int number, Duration window) {
        this.number = number;
        this.window = window;
        this.micros = window.toNanos() / 1_000;
    }

    /** The unit of a limit's window; {@link #UNKNOWN} if the protocol has none. */
    public static RlsUnit of(Limit limit) {
        if (limit.algorithm() == Algorithm.CONCURRENCY) {
            return UNKNOWN;
        }
        CalendarWindow calendar = limit.calendar();
        return calendar == null
                ? ofWindow(limit.windowMicros())
                : switch (calendar) {
                    case DAY -> DAY;
                    case WEEK -> WEEK;
                    case MONTH -> MONTH;
                    case YEAR -> YEAR;
                };
    }

    private static RlsUnit ofWindow(long micros) {
        for (RlsUnit unit : BY_NUMBER) {
            if (unit.micros == micros) {
                return unit;
            }
        }
        return UNKNOWN;
    }

    /** The unit with this number on the wire; {@link #UNKNOWN} if there is none. */
    public static RlsUnit ofNumber(int number) {
        return number > 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : UNKNOWN;
    }

    /** The unit of this name, or null. */
    public static @Nullable RlsUnit ofName(String name) {
        for (RlsUnit unit : BY_NUMBER) {
            if (unit.name().equals(name)) {
                return unit;
            }
        }
        return null;
    }

    public int number() {
        return number;
    }

    /**
     * The limit of {@code requestsPerUnit} that a caller gives; null for {@link #UNKNOWN}, which has no window. With
     * {@code calendarMonths}, a month is one of the calendar.
     */
    public @Nullable Limit limit(long requestsPerUnit, boolean calendarMonths) {
        if (calendarMonths && this == MONTH) {
            return Limit.calendarWindow(requestsPerUnit, CalendarWindow.MONTH);
        }
        return this == UNKNOWN ? null : Limit.fixedWindow(requestsPerUnit, window);
    }
}
