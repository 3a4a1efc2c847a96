package dev.weir.server.replay.input;

import java.util.List;

/** Parses times into microseconds since the epoch, without allocating: there are millions of them. */
final class Moments {
    /** The result for text that is no time. */
    static final long NONE = Long.MIN_VALUE;

    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

    private Moments() {}

    /** Parses {@code 2026-11-16T05:30:00.123456Z}, with any number of decimals and any offset. */
    static long iso(CharSequence text) {
        int length = text.length();
        if (length < 20 || text.charAt(4) != '-' || text.charAt(7) != '-' || text.charAt(10) != 'T') {
            return NONE;
        }
        long days = days(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
        long micros = clock(text, 11, days);
        int at = 19;
        if (micros == NONE) {
            return NONE;
        }
        if (text.charAt(at) == '.') {
            long scale = 100_000;
            for (at++; at < length && isDigit(text.charAt(at)); at++) {
                micros += (text.charAt(at) - '0') * scale;
                scale /= 10;
            }
        }
        return zone(text, at, micros);
    }

    /** Parses {@code 18/Nov/2026:17:40:36 +0000}, as nginx writes {@code $time_local}. */
    static long local(CharSequence text) {
        if (text.length() != 26 || text.charAt(2) != '/' || text.charAt(6) != '/' || text.charAt(20) != ' ') {
            return NONE;
        }
        int month = MONTHS.indexOf(text.subSequence(3, 6).toString()) + 1;
        long micros = clock(text, 12, days(number(text, 7, 11), month, number(text, 0, 2)));
        return micros == NONE ? NONE : zone(text, 21, micros);
    }

    /** Parses seconds since the epoch, with decimals: {@code 1763487636.123}. */
    static long seconds(CharSequence text) {
        int dot = 0;
        while (dot < text.length() && text.charAt(dot) != '.') {
            dot++;
        }
        long seconds = number(text, 0, dot);
        if (dot == 0 || dot > 11 || seconds < 0) {
            return NONE;
        }
        long micros = seconds * 1_000_000;
        long scale = 100_000;
        for (int i = dot + 1; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return NONE;
            }
            micros += (text.charAt(i) - '0') * scale;
            scale /= 10;
        }
        return micros;
    }

    /** Parses any of the forms above. */
    static long any(CharSequence text) {
        long micros = iso(text);
        micros = micros == NONE ? seconds(text) : micros;
        return micros == NONE ? local(text) : micros;
    }

    private static long clock(CharSequence text, int at, long days) {
        long hours = number(text, at, at + 2);
        long minutes = number(text, at + 3, at + 5);
        long seconds = number(text, at + 6, at + 8);
        boolean valid = days != NONE && hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60;
        return valid && seconds >= 0 && seconds <= 60
                ? ((days * 24 + hours) * 60 + minutes) * 60_000_000 + seconds * 1_000_000
                : NONE;
    }

    private static long zone(CharSequence text, int at, long micros) {
        int length = text.length();
        if (at + 1 == length && text.charAt(at) == 'Z') {
            return micros;
        }
        if (at >= length || (text.charAt(at) != '+' && text.charAt(at) != '-')) {
            return NONE;
        }
        boolean colon = length == at + 6 && text.charAt(at + 3) == ':';
        if (!colon && length != at + 5) {
            return NONE;
        }
        long hours = number(text, at + 1, at + 3);
        long minutes = number(text, colon ? at + 4 : at + 3, length);
        if (hours < 0 || minutes < 0) {
            return NONE;
        }
        long offset = (hours * 60 + minutes) * 60_000_000;
        return text.charAt(at) == '+' ? micros - offset : micros + offset;
    }

    /** Days since the epoch of a date of the Gregorian calendar. */
    private static long days(long year, long month, long day) {
        if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31) {
            return NONE;
        }
        // Years begin in March, so that the leap day is the last of its year.
        long y = month <= 2 ? year - 1 : year;
        long era = y / 400;
        long yearOfEra = y - era * 400;
        long dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
    }

    private static long number(CharSequence text, int from, int end) {
        if (end > text.length()) {
            return -1;
        }
        long number = 0;
        for (int i = from; i < end; i++) {
            if (!isDigit(text.charAt(i))) {
                return -1;
            }
            number = number * 10 + (text.charAt(i) - '0');
        }
        return number;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
