package dev.weir.server.log;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/** Writes each record as one piece and flushes it, so that whoever reads a pipe sees a line as soon as it was said. */
final class LineHandler extends Handler {
    private final OutputStream out;
    private final FloodGate gate;

    LineHandler(OutputStream out, Formatter formatter, FloodGate gate) {
        this.out = out;
        this.gate = gate;
        setFormatter(formatter);
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
        write(getFormatter().format(record).getBytes(StandardCharsets.UTF_8));
    }

    private synchronized void write(byte[] line) {
        try {
            out.write(line);
            out.flush();
        } catch (IOException e) {
            reportError("the log cannot be written", e, ErrorManager.WRITE_FAILURE);
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
