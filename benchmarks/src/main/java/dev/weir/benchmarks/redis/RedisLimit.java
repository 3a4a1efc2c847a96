package dev.weir.benchmarks.redis;

import dev.weir.Limit;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The limit that every side of a run counts by: a bucket so large that no load empties it, refilled so slowly that a hit is not
 * forgotten meanwhile. So every decision reads and writes state, and no key expires while it is measured.
 *
 * @param burst hits that a full bucket holds
 * @param perHit in which one of them comes back
 */
record RedisLimit(long burst, Duration perHit) {
    static final RedisLimit ONE_KEY = new RedisLimit(1_000_000_000, Duration.ofSeconds(1));
    static final RedisLimit MANY_KEYS = new RedisLimit(1_000_000, Duration.ofHours(1));

    /** The same in Weir's words. */
    Limit tokenBucket() {
        return Limit.tokenBucket(1, perHit).withBurst(burst);
    }

    /** Names of forty characters, made beforehand: what a key costs to spell is no side's business. */
    static String[] keys(String side, int count) {
        String format = "bench:{" + side + "}:%0" + (40 - "bench:{}:".length() - side.length()) + "d";
        return IntStream.range(0, count)
                .mapToObj(i -> String.format(Locale.ROOT, format, i))
                .toArray(String[]::new);
    }
}
