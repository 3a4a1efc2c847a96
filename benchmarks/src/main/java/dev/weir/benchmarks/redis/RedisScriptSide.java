package dev.weir.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One script call for each decision, as most limiters on Redis do: GCRA on one key by Redis's clock, {@code EVALSHA}
 * over one Lettuce connection that all callers share.
 */
final class RedisScriptSide implements RedisSide {
    /** The state is the moment at which the bucket is full again. */
    private static final String SCRIPT = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
            local full = redis.call('GET', KEYS[1])
            full = full and tonumber(full) or now
            if full < now then full = now end
            local after = full + interval
            local over = after - now - interval * burst
            if over > 0 then
              return {0, 0, over}
            end
            redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
            return {1, math.floor(burst - (after - now) / interval), 0}
            """;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String digest;
    private final String interval;
    private final String burst;
    private final String[] keys;

    RedisScriptSide(RedisURI redis, RedisLimit limit, int keys) {
        this.interval = String.valueOf(limit.perHit().toNanos() / 1_000);
        this.burst = String.valueOf(limit.burst());
        this.keys = RedisLimit.keys("script", keys);
        client = RedisClient.create(redis);
        connection = client.connect();
        digest = connection.sync().scriptLoad(SCRIPT);
    }

    @Override
    public String name() {
        return "a script per call";
    }

    @Override
    public void ask(RedisCaller caller, int key) {
        String[] one = {keys[key]};
        connection
                .async()
                .<List<Long>>evalsha(digest, ScriptOutputType.MULTI, one, interval, burst)
                .whenCompleteAsync((reply, failure) -> answer(caller, reply, failure), caller.home());
    }

    private static void answer(RedisCaller caller, @Nullable List<Long> reply, @Nullable Throwable failure) {
        if (reply == null || failure != null) {
            caller.failed();
        } else {
            caller.answered(reply.get(0) == 1);
        }
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
