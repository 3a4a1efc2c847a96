package dev.weir.redis.internal.inspection;

import dev.weir.redis.internal.script.StoredState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What Redis keeps for a counter, for people who look into it. What is left of a limit is asked with 0 hits; this is what was
 * written last.
 *
 * @param key what Redis calls it
 * @param kind how it counts: {@code bucket}, {@code fixed_window}, {@code sliding_window}, {@code sub_windows}, {@code
 *     sliding_window_log}, or {@code unknown} if a later version wrote it, or none
 * @param used hits it held when it was written last; of a sliding window those of the current window; -1 if unknown
 * @param since when the window began, or hits were last taken; null if unknown
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
