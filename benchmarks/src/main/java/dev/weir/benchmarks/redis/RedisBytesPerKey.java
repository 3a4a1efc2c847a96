package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.BenchmarkOptions;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;

/**
 * Measures the memory of a token bucket of Weir in Redis, by {@code MEMORY USAGE}: key, value, and Redis's overhead. It
 * depends on the allocator. Debian and most others ship jemalloc, whose sizes are fixed; the binary of the tests uses
 * the C library's, which sometimes returns more than was asked for.
 *
 * <pre>{@code
 * MAIN=RedisBytesPerKey benchmarks/run [--keys 10000] [--redis HOST:PORT]
 * }</pre>
 */
public final class RedisBytesPerKey {
    private static final int CALLERS = 64;

    private RedisBytesPerKey() {}

    public static void main(String[] args) throws Exception {
        BenchmarkOptions options = new BenchmarkOptions(List.of(args));
        int keys = options.number("--keys", 10_000);
        try (RedisUnderLoad redis = RedisUnderLoad.start(options)) {
            System.out.println(redis.conditions() + ", " + redis.info("memory", "mem_allocator"));
            measure(redis, RedisLimit.MANY_KEYS, keys);
            redis.commands().flushall();
            measure(redis, new RedisLimit(100, Duration.ofMinutes(1)), keys);
        }
    }

    private static void measure(RedisUnderLoad redis, RedisLimit limit, int keys) throws InterruptedException {
        RedisCommands<String, String> commands = redis.commands();
        try (RedisSide weir = new RedisWeirSide(redis.uri(), limit, CALLERS, keys)) {
            new RedisRounds(commands, CALLERS, Runnable::run).fill(weir, keys);
        }
        LongSummaryStatistics length = new LongSummaryStatistics();
        LongSummaryStatistics value = new LongSummaryStatistics();
        LongSummaryStatistics bytes = new LongSummaryStatistics();
        ScanIterator.scan(commands).forEachRemaining(key -> {
            length.accept(key.length());
            value.accept(commands.strlen(key));
            bytes.accept(commands.memoryUsage(key));
        });
        System.out.printf(
                Locale.ROOT,
                "token bucket, burst %,d, a hit back in %s: %,d keys of %d to %d characters, values of %d to %d bytes,"
                        + " %.0f bytes a key on average, %d to %d (budget: 128)%n",
                limit.burst(),
                limit.perHit(),
                bytes.getCount(),
                length.getMin(),
                length.getMax(),
                value.getMin(),
                value.getMax(),
                bytes.getAverage(),
                bytes.getMin(),
                bytes.getMax());
    }
}
