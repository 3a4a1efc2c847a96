package dev.weir.text.fields;

/** Durations as Weir writes them everywhere: {@code 10ms}, {@code 2s}, {@code 1m}, {@code 1h}, {@code 1d}. */
public final class Durations {
    private static final String EXPECTED = "expected: a duration like 10ms, 2s, 1m, 1h, 1d";

    private Durations() {}

    /**
     * The microseconds that {@code text} stands for.
     *
     * @throws IllegalArgumentException saying what is wrong with {@code text}, if it is no duration
     */
    public static long micros(String text) {
        return micros(text, "s");
    }

    /** The same, where a number without a unit was probably meant in {@code likely}. */
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

    /** {@code micros} in the largest unit that holds it without a rest. */
    public static String text(long micros) {
        for (String unit : new String[] {"d", "h", "m", "s", "ms"}) {
            if (micros != 0 && micros % microsOf(unit) == 0) {
                return micros / microsOf(unit) + unit;
            }
        }
        return micros + "us";
    }
}
