package dev.weir.control.data;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/**
 * Times to the millisecond in the years 1 to 9999: every database can store them, and their ISO 8601 text is readable.
 */
public final class Times {
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("9999-12-31T23:59:59.999Z").plusMillis(1);

    private Times() {}

    /**
     * Parses a time such as 2025-02-01T00:00:00Z.
     *
     * @throws DateTimeException if {@code text} is not such a time
     */
    public static Instant parse(String text) {
        return of(OffsetDateTime.parse(text).toInstant());
    }

    /**
     * Truncates a time to the millisecond.
     *
     * @throws DateTimeException if its year is not from 1 to 9999
     */
    public static Instant of(Instant time) {
        if (time.isBefore(FIRST) || !time.isBefore(END)) {
            throw new DateTimeException(time + " (expected: a year from 1 to 9999)");
        }
        return time.truncatedTo(ChronoUnit.MILLIS);
    }
}
