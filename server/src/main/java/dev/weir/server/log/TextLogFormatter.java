package dev.weir.server.log;

import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Formats a record for people: time, level if it matters, message. On a terminal the time of day is enough; in a file,
 * which is read days later and elsewhere, a line has its date and zone.
 */
final class TextLogFormatter extends Formatter {
    private static final DateTimeFormatter TIME_OF_DAY =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());
    private static final DateTimeFormatter DATE_AND_ZONE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXX").withZone(ZoneId.systemDefault());

    private static final String NEXT_LINE = "\n              ";

    private final DateTimeFormatter time;
    private final boolean colours;

    private TextLogFormatter(DateTimeFormatter time, boolean colours) {
        this.time = time;
        this.colours = colours;
    }

    static TextLogFormatter forTerminal(boolean colours) {
        return new TextLogFormatter(TIME_OF_DAY, colours);
    }

    static TextLogFormatter forFile() {
        return new TextLogFormatter(DATE_AND_ZONE, false);
    }

    @Override
    public String format(LogRecord record) {
        StringBuilder line = new StringBuilder(128);
        line.append(paint("2", time.format(record.getInstant()))).append("  ");
        line.append(level(record.getLevel()));
        line.append(LogText.printable(formatMessage(record), NEXT_LINE)).append('\n');
        Throwable cause = record.getThrown();
        if (cause != null) {
            // A stack trace may contain text of a caller, too.
            line.append(LogText.printable(LogText.trace(cause).stripTrailing(), NEXT_LINE))
                    .append('\n');
        }
        return line.toString();
    }

    private String level(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return paint("31;1", "error") + "  ";
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return paint("33;1", "warning") + "  ";
        }
        return "";
    }

    private String paint(String code, String text) {
        return colours ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
