package dev.weir.client.internal;

import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.function.Function;

/** Reads {@code Retry-After}: seconds, or a date, which is compared with the response's own {@code Date}. */
public final class RetryDelay {
    /** There is none, or it is malformed. */
    public static final long NONE = -1;

    private RetryDelay() {}

    /**
     * The seconds to wait, at most {@code mostSeconds}; {@link #NONE} without a valid field.
     *
     * @param nowSeconds the time, seconds since the epoch, for responses without a date
     */
    public static long seconds(Function<String, List<String>> headers, long nowSeconds, long mostSeconds) {
        List<String> values = headers.apply("Retry-After");
        if (values.size() != 1) {
            return NONE;
        }
        String text = values.get(0).strip();
        if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return text.length() > 15 ? mostSeconds : Math.min(mostSeconds, Long.parseLong(text));
        }
        long at = date(text);
        if (at == NONE) {
            return NONE;
        }
        List<String> dates = headers.apply("Date");
        long from = dates.size() == 1 ? date(dates.get(0).strip()) : NONE;
        return Math.max(0, Math.min(mostSeconds, at - (from == NONE ? nowSeconds : from)));
    }

    private static long date(String text) {
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toEpochSecond();
        } catch (DateTimeException e) {
            return NONE;
        }
    }
}
