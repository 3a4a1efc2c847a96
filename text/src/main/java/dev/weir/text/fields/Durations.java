package dev.weir.text.fields;

/** Parses and formats durations such as {@code 10ms}, {@code 2s}, {@code 1m}, {@code 1h} and {@code 1d}. */
public final class Durations {
    private static final String EXPECTED = "expected: a duration like 10ms, 2s, 1m, 1h, 1d";

    private Durations() {}

    /**
     * Parses a duration into microseconds.
     *
     * @throws IllegalArgumentException if {@code text} is not a duration; the message says what is wrong
     */
    public static long micros(String text) {
        return micros(text, "s");
    }

    /** Parses a duration; for a number without a unit, the error suggests the unit {@code likely}. */
    static long micros(String text, String likely) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        String unit = text.substring(digits);
        if (digits == 0) {
            throw new IllegalArgumentException(EXPECTED);
        }
        if (unit.isEmpty()) {
            throw new IllegalArgumentException("no unit; did you mean " + text + likely + "?");
        }
        long each = microsOf(unit);
        if (each == 0) {
            throw new IllegalArgumentException(EXPECTED);
        }
        try {
            return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), each);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("too long: does not fit 64 bits of microseconds", e);
        }
    }

    private static long microsOf(String unit) {
        return switch (unit) {
            case "us" -> 1L;
            case "ms" -> 1_000L;
            case "s" -> 1_000_000L;
            case "m" -> 60_000_000L;
            case "h" -> 3_600_000_000L;
            case "d" -> 86_400_000_000L;
            default -> 0L;
        };
    }

    /** Formats {@code micros} in the largest unit that divides it. */
    public static String text(long micros) {
        for (String unit : new String[] {"d", "h", "m", "s", "ms"}) {
            if (micros != 0 && micros % microsOf(unit) == 0) {
                return micros / microsOf(unit) + unit;
            }
        }
        return micros + "us";
    }
}
