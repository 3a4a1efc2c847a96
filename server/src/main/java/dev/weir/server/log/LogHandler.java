package dev.weir.server.log;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/** Makes each record one piece that is written and flushed at once, so that whoever reads a pipe sees a line as soon as it was said. */
final class LogHandler extends Handler {
    private static final Duration LONGEST_FLUSH = Duration.ofMillis(500);

    private final LogWriter writer;
    private final LogThrottle gate;

    LogHandler(OutputStream out, Formatter formatter, LogThrottle gate) {
        this.gate = gate;
        setFormatter(formatter);
        writer = new LogWriter(
                out, this::dropped, e -> reportError("the log cannot be written", e, ErrorManager.WRITE_FAILURE));
    }

    @Override
    public void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        int held = gate.pass(record);
        if (held < 0) {
            return;
        }
        if (held > 0) {
            record.setMessage(record.getMessage() + " (" + held + " more like this were not shown)");
        }
        writer.write(line(record));
    }

    private byte[] dropped(int lines) {
        LogRecord record =
                new LogRecord(Level.WARNING, lines + " lines of this log were dropped here: nobody took them in time");
        record.setLoggerName(LogHandler.class.getName());
        return line(record);
    }

    private byte[] line(LogRecord record) {
        return getFormatter().format(record).getBytes(StandardCharsets.UTF_8);
    }

    /** Waits until what was said is written, but not for long. */
    @Override
    public void flush() {
        writer.flush(LONGEST_FLUSH);
    }

    @Override
    public void close() {
        flush();
    }
}
