package dev.weir.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * What Redis keeps for a counter, for people who look into it. What is left of a limit is asked with 0 hits; this is what was
 * written last.
 *
 * @param key what Redis calls it
 * @param kind how it counts: {@code bucket}, {@code fixed_window}, {@code sliding_window}, {@code sub_windows}, {@code
 *     sliding_window_log}, or {@code unknown} if no version known here wrote it
 * @param used hits it held when it was written last; of a sliding window those of the current window; -1 if unknown
 * @param since when the window began, or the last hit of a bucket was taken; null if unknown
 * @param forgottenIn after which Redis forgets it; null if never
 * @param bytes how long the state is
 */
public record CounterState(
        String key,
        String kind,
        long used,
        @Nullable Instant since,
        @Nullable Duration forgottenIn,
        int bytes) {

    static CounterState of(byte[] key, byte[] state, long ttlMillis) {
        ByteBuffer in = ByteBuffer.wrap(state);
        String name = new String(key, StandardCharsets.US_ASCII);
        Duration ttl = ttlMillis < 0 ? null : Duration.ofMillis(ttlMillis);
        int length = state.length;
        int format = length == 0 ? 0 : in.get();
        if (format == 1 && length == 24) {
            number(in, 6); // when it is forgotten, which the time to live says too
            Instant at = moment(number(in, 7));
            long part = number(in, 5);
            in.get();
            return new CounterState(name, "bucket", number(in, 4) + (part == 0 ? 0 : 1), at, ttl, length);
        } else if (format == 2 && length == 21) {
            number(in, 6);
            Instant start = moment(number(in, 7));
            return new CounterState(name, "fixed_window", number(in, 7), start, ttl, length);
        } else if (format == 3 && length == 24) {
            number(in, 6);
            Instant start = moment(number(in, 7));
            number(in, 2);
            return new CounterState(name, "sliding_window", number(in, 4), start, ttl, length);
        } else if (format == 4 && length >= 15 && (length - 15) % 7 == 0) {
            Instant last = moment(number(in, 7));
            number(in, 7);
            long sum = 0;
            while (in.remaining() >= 7) {
                sum += number(in, 7);
            }
            return new CounterState(name, "sub_windows", sum, last, ttl, length);
        } else if (format == 5 && length >= 16) {
            number(in, 6);
            number(in, 3);
            number(in, 3);
            return new CounterState(name, "sliding_window_log", number(in, 3), null, ttl, length);
        }
        return new CounterState(name, "unknown", -1, null, ttl, length);
    }

    private static Instant moment(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static long number(ByteBuffer in, int bytes) {
        long number = 0;
        for (int i = 0; i < bytes; i++) {
            number = number << 8 | (in.get() & 0xFF);
        }
        return number;
    }
}
