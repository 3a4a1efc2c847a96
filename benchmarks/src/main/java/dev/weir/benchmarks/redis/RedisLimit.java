package dev.weir.benchmarks.redis;

import dev.weir.Limit;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The limit of every side of a run: a bucket so large that no load empties it, refilled so slowly that no hit is
 * forgotten meanwhile. So every decision reads and writes state, and no key expires during the measurement.
 *
 * @param burst hits that a full bucket holds
 * @param perHit the time in which one of them is refilled
 */
record RedisLimit(long burst, Duration perHit) {
    static final RedisLimit ONE_KEY = new RedisLimit(1_000_000_000, Duration.ofSeconds(1));
    static final RedisLimit MANY_KEYS = new RedisLimit(1_000_000, Duration.ofHours(1));

    /** The same as a limit of Weir. */
    Limit tokenBucket() {
        return Limit.tokenBucket(1, perHit).withBurst(burst);
    }

    /** Names of forty characters, built beforehand, so that no side pays for building them. */
    static String[] keys(String side, int count) {
        String format = "bench:{" + side + "}:%0" + (40 - "bench:{}:".length() - side.length()) + "d";
        return IntStream.range(0, count)
                .mapToObj(i -> String.format(Locale.ROOT, format, i))
                .toArray(String[]::new);
    }
}
