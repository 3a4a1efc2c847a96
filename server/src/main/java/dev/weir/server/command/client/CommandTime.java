package dev.weir.server.command.client;

import dev.weir.text.fields.Durations;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Reads a time from a flag: a time like 2027-02-01T00:00:00Z, or a duration from or before now. */
public final class CommandTime {
    private CommandTime() {}

    /** A time, or the time after a duration. */
    public static String future(String option, String text) throws CommandException {
        return isTime(text) ? text : from(Instant.now().plus(micros(option, text), ChronoUnit.MICROS));
    }

    /** A time, or the time that was a duration ago. */
    public static String past(String option, String text) throws CommandException {
        return isTime(text) ? text : from(Instant.now().minus(micros(option, text), ChronoUnit.MICROS));
    }

    /** A time has dashes, a duration has none. */
    private static boolean isTime(String text) {
        return text.contains("-");
    }

    private static String from(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static long micros(String option, String text) throws CommandException {
        try {
            return Durations.micros(text);
        } catch (IllegalArgumentException e) {
            throw new CommandException(option + ": \"" + text
                    + "\" (expected: a duration such as 90d, or a time like 2027-02-01T00:00:00Z)");
        }
    }
}
