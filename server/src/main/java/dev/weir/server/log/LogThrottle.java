package dev.weir.server.log;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;

/**
 * Lets a message pass a few times, and then once per period, so that a caller cannot fill a disk with messages that it
 * provokes. Two messages are the same if they come from one logger and differ only in digits or hexadecimal bytes.
 */
final class LogThrottle {
    private static final int BURST = 5;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int MAX_SHAPES = 256;
    private static final int SHAPE_LENGTH = 160;
    private static final Pattern DIGITS = Pattern.compile("[0-9a-fA-F]{8,}|\\d+");

    private final LongSupplier nanos;
    private final Map<String, Seen> seen = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
            return size() > MAX_SHAPES;
        }
    };

    LogThrottle(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** The number of similar records suppressed since the last one that passed; -1 if this one is suppressed, too. */
    synchronized int pass(LogRecord record) {
        if (record.getLevel().intValue() <= Level.INFO.intValue()) {
            return 0;
        }
        long now = nanos.getAsLong();
        Seen same = seen.computeIfAbsent(shape(record), key -> new Seen(now));
        if (now - same.since >= PERIOD_NANOS) {
            int suppressed = same.suppressed;
            same.since = now;
            same.passed = 1;
            same.suppressed = 0;
            return suppressed;
        }
        if (same.passed < BURST) {
            same.passed++;
            return 0;
        }
        same.suppressed++;
        return -1;
    }

    private static String shape(LogRecord record) {
        String message = String.valueOf(record.getMessage());
        String start = message.substring(0, Math.min(message.length(), SHAPE_LENGTH));
        return record.getLoggerName() + '\n' + DIGITS.matcher(start).replaceAll("#");
    }

    private static final class Seen {
        private long since;
        private int passed;
        private int suppressed;

        private Seen(long since) {
            this.since = since;
        }
    }
}
