package dev.weir;

import java.util.Locale;

/**
 * A window of the calendar in UTC: a day, a week from Monday, a month or a year. A {@code fixed_window} may have one in
 * place of a length.
 */
public enum CalendarWindow {
    DAY(1),
    WEEK(7),
    MONTH(31),
    YEAR(366);

    private static final long DAY_MICROS = 86_400_000_000L;
    /** Days from 0000-03-01, where the cycle of leap years begins, to the Unix epoch. */
    private static final long EPOCH = 719_468;

    private static final long DAYS_OF_ERA = 146_097;
    private static final long YEARS_OF_ERA = 400;

    private final long longest;

    CalendarWindow(long longestDays) {
        this.longest = longestDays * DAY_MICROS;
    }

    /** The name in rule files. */
    public String text() {
        return "calendar_" + name().toLowerCase(Locale.ROOT);
    }

    /** The length of the longest such window, in microseconds. */
    public long longestMicros() {
        return longest;
    }

    /** The start of the window that contains {@code micros}, not before the Unix epoch; both since the epoch. */
    public long start(long micros) {
        long days = Math.floorDiv(micros, DAY_MICROS);
        long first = switch (this) {
            case DAY -> days;
            case WEEK -> monday(days);
            case MONTH -> {
                long month = month(days);
                yield firstDay(Math.floorDiv(month, 12), Math.floorMod(month, 12));
            }
            case YEAR -> firstDay(Math.floorDiv(month(days), 12), 0);
        };
        return Math.max(0, first * DAY_MICROS);
    }

    /** The end of the window that contains {@code micros}: the start of the next one. */
    public long end(long micros) {
        long days = Math.floorDiv(micros, DAY_MICROS);
        long next = switch (this) {
            case DAY -> days + 1;
            case WEEK -> monday(days) + 7;
            case MONTH -> {
                long month = month(days) + 1;
                yield firstDay(Math.floorDiv(month, 12), Math.floorMod(month, 12));
            }
            case YEAR -> firstDay(Math.floorDiv(month(days), 12) + 1, 0);
        };
        return next * DAY_MICROS;
    }

    /** The Monday of the week; the epoch was a Thursday. */
    private static long monday(long days) {
        return days - Math.floorMod(days + 3, 7);
    }

    /** Months from January of the year 0 to the month that contains the day {@code days}. */
    private static long month(long days) {
        long shifted = days + EPOCH;
        long era = Math.floorDiv(shifted, DAYS_OF_ERA);
        long dayOfEra = shifted - era * DAYS_OF_ERA;
        long yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long monthFromMarch = (5 * dayOfYear + 2) / 153;
        return (era * YEARS_OF_ERA + yearOfEra) * 12 + monthFromMarch + 2;
    }

    /** The first day of a month, which counts from 0 for January. */
    private static long firstDay(long year, long month) {
        long fromMarch = Math.floorMod(month - 2, 12);
        long marchYear = month < 2 ? year - 1 : year;
        long era = Math.floorDiv(marchYear, YEARS_OF_ERA);
        long yearOfEra = marchYear - era * YEARS_OF_ERA;
        long dayOfYear = (153 * fromMarch + 2) / 5;
        return era * DAYS_OF_ERA + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - EPOCH;
    }
}
