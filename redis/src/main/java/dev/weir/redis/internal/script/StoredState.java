package dev.weir.redis.internal.script;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A state in Redis, decoded for people.
 *
 * @param kind how it counts; {@code unknown} if it has a format that this version does not know
 * @param used the hits when it was last written; for a sliding window those of the current window; -1 if unknown
 * @param since when the window began, or hits were last taken; null if unknown
 */
public record StoredState(String kind, long used, @Nullable Instant since) {
    /** The bytes of a log before its entries, and those of an entry: a moment, and the total of hits modulo 2^16. */
    private static final int LOG_HEAD = 18;

    private static final int LOG_ENTRY = 9;
    private static final StoredState UNKNOWN = new StoredState("unknown", -1, null);

    public static StoredState read(byte[] state) {
        ByteBuffer in = ByteBuffer.wrap(state);
        int format = state.length == 0 ? 0 : in.get();
        return switch (format) {
            case 1 -> state.length == 24 ? bucket(in) : UNKNOWN;
            case 2 -> state.length == 21 ? fixedWindow(in) : UNKNOWN;
            case 3 -> state.length == 24 ? slidingWindow(in) : UNKNOWN;
            case 4 -> state.length >= 15 && (state.length - 15) % 7 == 0 ? subWindows(in) : UNKNOWN;
            case 5 -> state.length >= LOG_HEAD + LOG_ENTRY ? log(in) : UNKNOWN;
            default -> UNKNOWN;
        };
    }

    private static StoredState bucket(ByteBuffer in) {
        number(in, 6);
        Instant last = moment(in);
        boolean part = number(in, 5) != 0;
        number(in, 1);
        return new StoredState("bucket", number(in, 4) + (part ? 1 : 0), last);
    }

    private static StoredState fixedWindow(ByteBuffer in) {
        number(in, 6);
        Instant start = moment(in);
        return new StoredState("fixed_window", number(in, 7), start);
    }

    private static StoredState slidingWindow(ByteBuffer in) {
        number(in, 6);
        Instant start = moment(in);
        number(in, 2);
        return new StoredState("sliding_window", number(in, 4), start);
    }

    private static StoredState subWindows(ByteBuffer in) {
        Instant last = moment(in);
        number(in, 7);
        long sum = 0;
        while (in.hasRemaining()) {
            sum += number(in, 7);
        }
        return new StoredState("sub_windows", sum, last);
    }

    private static StoredState log(ByteBuffer in) {
        number(in, 6);
        long room = number(in, 3);
        long last = number(in, 3) + number(in, 3) - 1;
        long before = number(in, 2);
        long at = LOG_HEAD + LOG_ENTRY * (last % Math.max(1, room));
        if (last < 0 || at + LOG_ENTRY > in.limit()) {
            return UNKNOWN;
        }
        in.position((int) at);
        Instant newest = moment(in);
        return new StoredState("sliding_window_log", number(in, 2) - before & 0xFFFF, newest);
    }

    private static Instant moment(ByteBuffer in) {
        return Instant.EPOCH.plus(number(in, 7), ChronoUnit.MICROS);
    }

    private static long number(ByteBuffer in, int bytes) {
        long number = 0;
        for (int i = 0; i < bytes; i++) {
            number = number << 8 | (in.get() & 0xFF);
        }
        return number;
    }
}
