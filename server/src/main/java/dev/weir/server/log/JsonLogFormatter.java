package dev.weir.server.log;

import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/** Formats a record as one JSON object per line. */
final class JsonLogFormatter extends Formatter {
    @Override
    public String format(LogRecord record) {
        StringBuilder line = new StringBuilder(256);
        line.append("{\"time\":\"").append(record.getInstant().truncatedTo(ChronoUnit.MILLIS));
        line.append("\",\"level\":\"").append(level(record.getLevel()));
        line.append("\",\"logger\":");
        quote(line, String.valueOf(record.getLoggerName()));
        line.append(",\"message\":");
        quote(line, formatMessage(record));
        if (record.getThrown() != null) {
            line.append(",\"cause\":");
            quote(line, LogText.trace(record.getThrown()));
        }
        return line.append("}\n").toString();
    }

    private static String level(Level level) {
        return (level.intValue() >= Level.SEVERE.intValue()
                        ? "ERROR"
                        : level.intValue() <= Level.FINE.intValue() ? "DEBUG" : level.getName())
                .toLowerCase(Locale.ROOT);
    }

    private static void quote(StringBuilder line, String text) {
        line.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                default -> {
                    if (LogText.isPlain(c)) {
                        line.append(c);
                    } else {
                        line.append(String.format("\\u%04x", (int) c));
                    }
                }
            }
        }
        line.append('"');
    }
}
