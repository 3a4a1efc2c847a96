package dev.weir.server.log;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;

/**
 * Lets a message through a few times and then once in a while: what a caller can provoke, it must not be able to write a disk
 * full with. Two messages are the same if they come from one place and differ only in their digits, or in bytes shown as such.
 */
final class LogThrottle {
    private static final int AT_ONCE = 5;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int REMEMBERED = 256;
    private static final int COMPARED = 160;
    private static final Pattern DIGITS = Pattern.compile("[0-9a-fA-F]{8,}|\\d+");

    private final LongSupplier nanos;
    private final Map<String, Seen> seen = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Seen> eldest) {
            return size() > REMEMBERED;
        }
    };

    LogThrottle(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** How many like it were held back since the last one that passed, or -1 if this one is held back, too. */
    synchronized int pass(LogRecord record) {
        if (record.getLevel().intValue() <= Level.INFO.intValue()) {
            return 0;
        }
        long now = nanos.getAsLong();
        Seen same = seen.computeIfAbsent(shape(record), key -> new Seen(now));
        if (now - same.since >= PERIOD_NANOS) {
            int held = same.held;
            same.since = now;
            same.passed = 1;
            same.held = 0;
            return held;
        }
        if (same.passed < AT_ONCE) {
            same.passed++;
            return 0;
        }
        same.held++;
        return -1;
    }

    private static String shape(LogRecord record) {
        String message = String.valueOf(record.getMessage());
        String start = message.substring(0, Math.min(message.length(), COMPARED));
        return record.getLoggerName() + '\n' + DIGITS.matcher(start).replaceAll("#");
    }

    private static final class Seen {
        private long since;
        private int passed;
        private int held;

        private Seen(long since) {
            this.since = since;
        }
    }
}
