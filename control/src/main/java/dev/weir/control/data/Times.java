package dev.weir.control.data;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** Times to the millisecond, of the years 1 to 9999: every database holds them, and everybody can read how they are written. */
public final class Times {
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("9999-12-31T23:59:59.999Z").plusMillis(1);

    private Times() {}

    /**
     * The time that a caller has written, such as 2025-02-01T00:00:00Z.
     *
     * @throws DateTimeException if it is none
     */
    public static Instant parse(String text) {
        return of(OffsetDateTime.parse(text).toInstant());
    }

    /**
     * That time to the millisecond.
     *
     * @throws DateTimeException if it is of no year from 1 to 9999
     */
    public static Instant of(Instant time) {
        if (time.isBefore(FIRST) || !time.isBefore(END)) {
            throw new DateTimeException(time + " (expected: a year from 1 to 9999)");
        }
        return time.truncatedTo(ChronoUnit.MILLIS);
    }
}
