package dev.weir.redis.internal.inspection;

import dev.weir.redis.internal.script.StoredState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of a counter, for people. It is the state as last written; for the remaining hits, check with 0
 * hits.
 *
 * @param key its key in Redis
 * @param kind how it counts: {@code bucket}, {@code fixed_window}, {@code sliding_window}, {@code sub_windows}, {@code
 *     sliding_window_log}, {@code permits}, or {@code unknown} if this version does not know its format
 * @param used the hits when it was last written; for a sliding window those of the current window; -1 if unknown
 * @param since when the window began, or hits were last taken; null if unknown
 * @param forgottenIn the time until Redis expires it; null if it does not expire
 * @param bytes the length of the state; of permits, the length of their ids
 */
public record CounterState(
        String key,
        String kind,
        long used,
        @Nullable Instant since,
        @Nullable Duration forgottenIn,
        int bytes) {

    static CounterState ofPermits(byte[] key, long held, long ttlMillis) {
        return new CounterState(
                new String(key, StandardCharsets.US_ASCII),
                "permits",
                held,
                null,
                ttlMillis < 0 ? null : Duration.ofMillis(ttlMillis),
                Math.toIntExact(held * Long.BYTES));
    }

    static CounterState of(byte[] key, byte[] state, long ttlMillis) {
        StoredState stored = StoredState.read(state);
        return new CounterState(
                new String(key, StandardCharsets.US_ASCII),
                stored.kind(),
                stored.used(),
                stored.since(),
                ttlMillis < 0 ? null : Duration.ofMillis(ttlMillis),
                state.length);
    }
}
