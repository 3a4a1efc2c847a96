package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.benchmarks.Median;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Measures keys drawn at random, exact, with many callers in one JVM: Weir's store beside one script per call; then the
 * cost of a decision for Redis with more and more keys.
 *
 * <pre>{@code
 * MAIN=RedisManyKeys benchmarks/run [--keys 100000] [--callers 256] [--rounds 5] [--seconds 5] [--warm-up 10]
 *     [--flat 1000,100000,1000000] [--redis HOST:PORT]
 * }</pre>
 */
public final class RedisManyKeys {
    private final BenchmarkOptions options;
    private final RedisCommands<String, String> redis;
    private final RedisURI uri;
    private final RedisRounds rounds;
    private final int callers;

    private RedisManyKeys(BenchmarkOptions options, RedisUnderLoad redis) {
        this.options = options;
        this.redis = redis.commands();
        this.uri = redis.uri();
        this.callers = options.number("--callers", 256);
        this.rounds = new RedisRounds(redis.commands(), callers, Runnable::run);
    }

    public static void main(String[] args) throws Exception {
        BenchmarkOptions options = new BenchmarkOptions(List.of(args));
        try (RedisUnderLoad redis = RedisUnderLoad.start(options)) {
            System.out.println(redis.conditions());
            RedisManyKeys benchmark = new RedisManyKeys(options, redis);
            benchmark.sideBySide(options.number("--keys", 100_000));
            redis.commands().flushall();
            String sizes = options.text("--flat", "1000,100000,1000000");
            if (!sizes.isEmpty()) {
                benchmark.flat(sizes);
            }
        }
    }

    private void sideBySide(int keys) throws InterruptedException {
        try (RedisSide weir = new RedisWeirSide(uri, RedisLimit.MANY_KEYS, callers, keys);
                RedisSide script = new RedisScriptSide(uri, RedisLimit.MANY_KEYS, keys)) {
            rounds.fill(weir, keys);
            rounds.fill(script, keys);
            var measured = rounds.run(List.of(weir, script), keys, options);
            System.out.printf(Locale.ROOT, "%n%,d keys, %d callers%n", keys, callers);
            RedisResultTable.print(measured);
        }
    }

    /** Measures the cost of a decision for Redis, and that of a peer which only looks up the same number of keys. */
    private void flat(String list) throws InterruptedException {
        List<Integer> sizes =
                Stream.of(list.split(",", -1)).map(Integer::valueOf).toList();
        int most = Collections.max(sizes);
        try (RedisSide weir = new RedisWeirSide(uri, RedisLimit.MANY_KEYS, callers, most);
                RedisSide script = new RedisScriptSide(uri, RedisLimit.MANY_KEYS, most)) {
            for (RedisSide side : List.of(weir, script)) {
                flat(side, sizes, most);
            }
        }
        floor(sizes, most);
    }

    private void floor(List<Integer> sizes, int most) {
        RedisBaseline floor = new RedisBaseline(redis, most);
        floor.fill();
        System.out.printf("%nto read and write as many states, and decide nothing%n");
        System.out.printf("%12s %18s%n", "keys", "Redis CPU us/key");
        for (int size : sizes) {
            System.out.printf(Locale.ROOT, "%,12d %18.2f%n", size, floor.micros(size));
        }
    }

    private void flat(RedisSide side, List<Integer> sizes, int most) throws InterruptedException {
        List<List<RedisRounds.Round>> measured = sizes.stream()
                .<List<RedisRounds.Round>>map(s -> new ArrayList<>())
                .toList();
        // All keys exist from the start; only the number of keys that a round draws from differs.
        rounds.fill(side, most);
        rounds.round(side, most, options.number("--warm-up", 10));
        for (int i = 0; i < options.number("--rounds", 5); i++) {
            for (int s = 0; s < sizes.size(); s++) {
                measured.get(s).add(rounds.round(side, sizes.get(s), options.number("--seconds", 5)));
            }
        }
        System.out.printf("%n%s among ever more keys, %d callers%n", side.name(), callers);
        System.out.printf("%12s %12s %18s %10s%n", "keys", "decisions/s", "Redis CPU us/dec.", "x first");
        for (int s = 0; s < sizes.size(); s++) {
            System.out.printf(
                    Locale.ROOT,
                    "%,12d %12.0f %18.2f %10.2f%n",
                    sizes.get(s),
                    Median.of(measured.get(s), RedisRounds.Round::perSecond),
                    Median.of(measured.get(s), round -> round.costs().redisMicros()),
                    Median.ofRatios(
                            measured.get(s),
                            measured.get(0),
                            round -> round.costs().redisMicros()));
        }
    }
}
