package dev.weir.server.log;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Formats each record and passes it to the writer, which flushes after every line, so that a reader of a pipe sees a
 * line at once.
 */
final class LogHandler extends Handler {
    private static final Duration FLUSH_TIMEOUT = Duration.ofMillis(500);

    private final LogWriter writer;
    private final LogThrottle throttle;

    LogHandler(OutputStream out, Formatter formatter, LogThrottle throttle) {
        this.throttle = throttle;
        setFormatter(formatter);
        writer = new LogWriter(
                out, this::dropped, e -> reportError("cannot write the log", e, ErrorManager.WRITE_FAILURE));
    }

    @Override
    public void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        int suppressed = throttle.pass(record);
        if (suppressed < 0) {
            return;
        }
        if (suppressed > 0) {
            record.setMessage(record.getMessage() + " (" + suppressed + " similar messages suppressed)");
        }
        writer.write(line(record));
    }

    private byte[] dropped(int lines) {
        LogRecord record = new LogRecord(Level.WARNING, lines + " log lines were dropped here: the output was blocked");
        record.setLoggerName(LogHandler.class.getName());
        return line(record);
    }

    private byte[] line(LogRecord record) {
        return getFormatter().format(record).getBytes(StandardCharsets.UTF_8);
    }

    /** Waits for a short time until everything is written. */
    @Override
    public void flush() {
        writer.flush(FLUSH_TIMEOUT);
    }

    @Override
    public void close() {
        flush();
    }
}
