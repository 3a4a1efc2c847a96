package dev.weir.internal.model;

import java.time.Duration;

/** Formats durations for people: {@code 250ms}, {@code 12s}, {@code 1m 30s}, {@code 1h}. */
public final class PlainDuration {
    private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us"};
    private static final long[] MICROS = {86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1_000L, 1L};
    private static final int HOURS = 1;
    private static final int MINUTES = 2;
    private static final int SECONDS = 3;
    private static final int MILLIS = 4;

    private PlainDuration() {}

    /** Formats {@code duration} exactly, to the nanosecond. */
    public static String exact(Duration duration) {
        if (duration.isNegative()) {
            return "-" + exact(duration.negated());
        }
        long longest = Long.MAX_VALUE / MICROS[SECONDS];
        long micros = duration.getSeconds() >= longest
                ? longest * MICROS[SECONDS]
                : duration.getSeconds() * MICROS[SECONDS] + duration.getNano() / 1_000;
        int nanos = duration.getNano() % 1_000;
        return nanos == 0 ? exact(micros) : (micros == 0 ? "" : exact(micros) + " ") + nanos + "ns";
    }

    /** Formats {@code micros} exactly, unit by unit. */
    public static String exact(long micros) {
        StringBuilder text = new StringBuilder();
        long left = micros;
        for (int i = 0; i < UNITS.length; i++) {
            if (left >= MICROS[i]) {
                text.append(text.isEmpty() ? "" : " ").append(left / MICROS[i]).append(UNITS[i]);
                left %= MICROS[i];
            }
        }
        return text.isEmpty() ? "0s" : text.toString();
    }

    /**
     * Formats {@code micros} as a wait. It rounds up, so that the wait is long enough: to the millisecond below a
     * second, to the second below an hour, to the minute below a day, else to the hour.
     */
    public static String roundedUp(long micros) {
        int precision = HOURS;
        if (micros < MICROS[SECONDS]) {
            precision = MILLIS;
        } else if (micros < MICROS[HOURS]) {
            precision = SECONDS;
        } else if (micros < MICROS[0]) {
            precision = MINUTES;
        }
        long unit = MICROS[precision];
        long units = micros / unit + (micros % unit > 0 ? 1 : 0);
        return exact(units > Long.MAX_VALUE / unit ? micros : units * unit);
    }
}
