package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.AwakeCores;
import dev.weir.benchmarks.BenchmarkOptions;
import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Measures one hot key, exact, with many callers in one JVM: Weir's store beside one script per call and beside
 * Bucket4j with batching. It runs twice: with callers that handle their answers, and ask again, on the thread that
 * reads from Redis; and with callers on their own thread.
 *
 * <pre>{@code
 * MAIN=RedisHotKey benchmarks/run [--callers 64] [--rounds 5] [--seconds 5] [--warm-up 10] [--awake yes]
 *     [--redis HOST:PORT]
 * }</pre>
 */
public final class RedisHotKey {
    private RedisHotKey() {}

    public static void main(String[] args) throws Exception {
        BenchmarkOptions options = new BenchmarkOptions(List.of(args));
        ExecutorService own = Executors.newSingleThreadExecutor();
        try (RedisUnderLoad redis = RedisUnderLoad.start(options);
                AwakeCores cores = AwakeCores.of(options)) {
            System.out.println(cores);
            measure(redis, options, Runnable::run, "answered on the thread that reads from Redis");
            measure(redis, options, own, "on a thread of their own");
        } finally {
            own.shutdown();
        }
    }

    private static void measure(RedisUnderLoad redis, BenchmarkOptions options, Executor home, String how)
            throws InterruptedException {
        int callers = options.number("--callers", 64);
        RedisURI uri = redis.uri();
        try (RedisSide weir = new RedisWeirSide(uri, RedisLimit.ONE_KEY, callers, 1);
                RedisSide script = new RedisScriptSide(uri, RedisLimit.ONE_KEY, 1);
                RedisSide bucket4j = new RedisBucket4jSide(uri, RedisLimit.ONE_KEY)) {
            List<RedisSide> sides = List.of(weir, script, bucket4j);
            var measured = new RedisRounds(redis.commands(), callers, home).run(sides, 1, options);
            System.out.printf("%none hot key, %d callers %s; %s%n", callers, how, redis.conditions());
            RedisResultTable.print(measured);
        }
    }
}
