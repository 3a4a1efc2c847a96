package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows of the calendar, beside the calendar of the JDK. */
class CalendarWindowTest {
    /** The year 2112, the latest that states can hold. */
    private static final long LAST = (1L << 52) - 1;

    @Property(tries = 20_000)
    void startAndEndAreThoseOfTheCalendar(@ForAll CalendarWindow window, @ForAll @LongRange(max = LAST) long micros) {
        assertLikeTheCalendar(window, micros);
    }

    /** The first and the last microsecond of every day of 150 years. */
    @Test
    void everyDayIsInItsWindow() {
        for (LocalDate day = LocalDate.EPOCH; day.getYear() < 2112; day = day.plusDays(1)) {
            for (CalendarWindow each : CalendarWindow.values()) {
                assertLikeTheCalendar(each, micros(day));
                assertLikeTheCalendar(each, micros(day.plusDays(1)) - 1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2024-02-29T23:59:59Z, 2024-02-01, 2024-03-01",
        "2023-02-28T12:00:00Z, 2023-02-01, 2023-03-01",
        "2000-02-29T00:00:00Z, 2000-02-01, 2000-03-01",
        "2100-02-28T23:00:00Z, 2100-02-01, 2100-03-01",
        "2026-12-31T23:59:59Z, 2026-12-01, 2027-01-01",
        "2027-01-01T00:00:00Z, 2027-01-01, 2027-02-01",
    })
    void monthsEndWhereTheyEnd(Instant moment, LocalDate start, LocalDate end) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, moment);
        assertThat(CalendarWindow.MONTH.start(micros)).isEqualTo(micros(start));
        assertThat(CalendarWindow.MONTH.end(micros)).isEqualTo(micros(end));
    }

    @Test
    void onlyAFixedWindowHasOne() {
        Limit month = Limit.calendarWindow(5, CalendarWindow.MONTH);
        assertThat(month.algorithm()).isEqualTo(Algorithm.FIXED_WINDOW);
        assertThat(month.windowMicros()).isEqualTo(Duration.ofDays(31).toMillis() * 1_000);
        assertThatThrownBy(() -> new Limit(Algorithm.GCRA, 5, month.windowMicros(), 5, 1, CalendarWindow.MONTH, 0))
                .hasMessageContaining("expected: calendar_month of a fixed_window");
    }

    private static void assertLikeTheCalendar(CalendarWindow window, long micros) {
        LocalDate day = Instant.EPOCH
                .plus(micros, ChronoUnit.MICROS)
                .atZone(ZoneOffset.UTC)
                .toLocalDate();
        LocalDate start = switch (window) {
            case DAY -> day;
            case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> day.withDayOfMonth(1);
            case YEAR -> day.withDayOfYear(1);
        };
        LocalDate end = switch (window) {
            case DAY -> start.plusDays(1);
            case WEEK -> start.plusWeeks(1);
            case MONTH -> start.plusMonths(1);
            case YEAR -> start.plusYears(1);
        };
        assertThat(window.start(micros)).as("%s at %s", window, day).isEqualTo(Math.max(0, micros(start)));
        assertThat(window.end(micros)).as("%s at %s", window, day).isEqualTo(micros(end));
        assertThat(window.end(micros) - window.start(micros)).isLessThanOrEqualTo(window.longestMicros());
    }

    private static long micros(LocalDate day) {
        return day.toEpochDay() * 86_400_000_000L;
    }
}
