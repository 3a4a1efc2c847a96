package dev.weir.benchmarks.redis;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.SplittableRandom;

/**
 * The lowest possible cost of a state per key in Redis: a script that reads and writes a batch of states, and decides
 * nothing.
 */
final class RedisBaseline {
    private static final int BATCH = 256;
    private static final int CALLS = 1_000;
    private static final String STATE = "a".repeat(24);
    private static final String TIME = "3600000";
    private static final String WRITE = "for i = 1, #KEYS do redis.call('SET', KEYS[i], ARGV[1], 'PX', ARGV[2]) end";
    private static final String READ_AND_WRITE =
            "redis.call('MGET', unpack(KEYS)) for i = 1, #KEYS do redis.call('SET', KEYS[i], ARGV[1], 'KEEPTTL') end";

    private final RedisCommands<String, String> redis;
    private final String[] keys;

    RedisBaseline(RedisCommands<String, String> redis, int most) {
        this.redis = redis;
        this.keys = RedisLimit.keys("floor", most);
    }

    /** Writes every key once, so that all of them exist. */
    void fill() {
        String digest = redis.scriptLoad(WRITE);
        for (int from = 0; from < keys.length; from += BATCH) {
            String[] some = new String[Math.min(BATCH, keys.length - from)];
            System.arraycopy(keys, from, some, 0, some.length);
            redis.evalsha(digest, ScriptOutputType.VALUE, some, STATE, TIME);
        }
    }

    /** Microseconds of Redis's time per key, drawn evenly from the first {@code among} keys. */
    double micros(int among) {
        String digest = redis.scriptLoad(READ_AND_WRITE);
        SplittableRandom random = new SplittableRandom(among);
        RedisInfo before = RedisInfo.of(redis);
        for (int i = 0; i < CALLS; i++) {
            String[] some = new String[BATCH];
            for (int k = 0; k < BATCH; k++) {
                some[k] = keys[random.nextInt(among)];
            }
            redis.evalsha(digest, ScriptOutputType.VALUE, some, STATE);
        }
        return RedisInfo.of(redis).since(before).cpuSeconds() * 1e6 / CALLS / BATCH;
    }
}
