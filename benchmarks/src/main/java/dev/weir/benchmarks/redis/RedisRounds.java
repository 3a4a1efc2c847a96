package dev.weir.benchmarks.redis;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.benchmarks.BenchmarkOptions;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Measures sides in turns, round after round, with callers that each have one question in flight.
 *
 * @param home the executor in which callers handle their answers, and ask again
 */
record RedisRounds(RedisCommands<String, String> redis, int callers, Executor home) {
    /** The time at the start of a round that does not count, while queues fill. */
    private static final long SETTLE_NANOS = 500_000_000L;

    private static final long PATIENCE_SECONDS = 30;

    /** The result of one round of one side. */
    record Round(double perSecond, double p50Millis, double p99Millis, Costs costs, long denied, long failed) {}

    /** The costs of a decision, from first to last, including the time that does not count. */
    record Costs(double commands, double scripts, double redisMicros, double scriptMicros, double jvmMicros) {}

    /** Warms up each side, then runs {@code rounds} of each in turns. */
    Map<RedisSide, List<Round>> run(List<? extends RedisSide> sides, int keys, BenchmarkOptions options)
            throws InterruptedException {
        int seconds = options.number("--seconds", 5);
        for (RedisSide side : sides) {
            round(side, keys, options.number("--warm-up", 10));
        }
        Map<RedisSide, List<Round>> all = new LinkedHashMap<>();
        for (int i = 0; i < options.number("--rounds", 5); i++) {
            for (RedisSide side : sides) {
                all.computeIfAbsent(side, s -> new ArrayList<>()).add(round(side, keys, seconds));
            }
        }
        return all;
    }

    /** Draws keys evenly, at full speed. */
    Round round(RedisSide side, int keys, int seconds) throws InterruptedException {
        RedisInfo before = RedisInfo.of(redis);
        long cpuBefore = cpuNanos();
        long countFrom = System.nanoTime() + SETTLE_NANOS;
        List<RedisCaller> all = ask(side, number -> drawn(number, keys), countFrom, TimeUnit.SECONDS.toNanos(seconds));
        double asked = all.stream().mapToLong(RedisCaller::asked).sum();
        double jvmMicros = (cpuNanos() - cpuBefore) / 1e3 / asked;
        RedisInfo spent = RedisInfo.of(redis).since(before);
        Histogram micros = new Histogram(60_000_000, 3);
        all.forEach(caller -> micros.add(caller.micros()));
        return new Round(
                micros.getTotalCount() / (double) seconds,
                micros.getValueAtPercentile(50) / 1e3,
                micros.getValueAtPercentile(99) / 1e3,
                new Costs(
                        spent.commands() / asked,
                        spent.scripts() / asked,
                        spent.cpuSeconds() * 1e6 / asked,
                        (double) spent.scriptMicros() / spent.scripts(),
                        jvmMicros),
                all.stream().mapToLong(RedisCaller::denied).sum(),
                all.stream().mapToLong(RedisCaller::failures).sum());
    }

    private static IntSupplier drawn(int caller, int keys) {
        SplittableRandom random = new SplittableRandom(caller);
        return () -> random.nextInt(keys);
    }

    /** Sends one hit to every key, so that all of them exist. */
    void fill(RedisSide side, int keys) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        IntSupplier each = () -> {
            int key = next.getAndIncrement();
            return key < keys ? key : -1;
        };
        ask(side, number -> each, System.nanoTime(), TimeUnit.MINUTES.toNanos(10));
    }

    private List<RedisCaller> ask(RedisSide side, IntFunction<IntSupplier> keys, long countFrom, long nanos)
            throws InterruptedException {
        CountDownLatch finished = new CountDownLatch(callers);
        List<RedisCaller> all = IntStream.range(0, callers)
                .mapToObj(i -> new RedisCaller(
                        i, new RedisCaller.Task(side, keys.apply(i), home, countFrom, countFrom + nanos, finished)))
                .toList();
        all.forEach(caller -> home.execute(caller::go));
        if (!finished.await(nanos + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), TimeUnit.NANOSECONDS)) {
            throw new IllegalStateException(side.name() + ": " + finished.getCount() + " callers had no answer");
        }
        return all;
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
