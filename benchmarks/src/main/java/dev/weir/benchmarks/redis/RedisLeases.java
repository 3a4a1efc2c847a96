package dev.weir.benchmarks.redis;

import dev.weir.Request;
import dev.weir.TimeSource;
import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.internal.limiter.Limiter;
import dev.weir.internal.limiter.check.LimiterObserver;
import dev.weir.internal.limiter.check.LimiterSettings;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.limiter.check.Waiter;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.ruleset.WrittenRules;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.rules.internal.load.RuleLoader;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures one hot key, {@code leased} beside {@code exact}: the time of a decision without network, the share of
 * decisions that need it, and their cost for Redis. There is one caller at a time, so that only the lease combines
 * requests.
 *
 * <pre>{@code
 * MAIN=RedisLeases benchmarks/run [--seconds 5] [--redis HOST:PORT]
 * }</pre>
 */
public final class RedisLeases {
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final String RULES = """
            domain: bench
            rules:
              - name: hot
                key_by: user
                consistency: %s
                limit: { requests: 1000000000, window: 1h, algorithm: fixed_window }
            """;

    private RedisLeases() {}

    public static void main(String[] args) throws InterruptedException {
        BenchmarkOptions options = new BenchmarkOptions(List.of(args));
        try (RedisUnderLoad redis = RedisUnderLoad.start(options)) {
            System.out.printf("one hot key, one caller; %s%n", redis.conditions());
            System.out.printf(
                    "%-8s %12s %10s %12s %12s %12s %12s %14s%n",
                    "",
                    "decisions/s",
                    "here",
                    "here p50 us",
                    "here p99 us",
                    "p99.9 us",
                    "asked p99 us",
                    "scripts/dec.");
            for (String consistency : List.of("leased", "exact")) {
                measure(redis, consistency, options.number("--seconds", 5));
            }
        }
    }

    private static void measure(RedisUnderLoad redis, String consistency, int seconds) throws InterruptedException {
        RedisSharedStore store = RedisSharedStore.open(
                RedisSettings.of("redis://" + redis.address()).withDeadline(DEADLINE));
        store.warmUp(DEADLINE);
        WrittenRules rules = Objects.requireNonNull(
                RuleLoader.parse("bench", RULES.formatted(consistency)).rules());
        Limiter limiter = new Limiter(
                rules,
                new MemoryStore(1_000),
                SharedStores.of(store),
                TimeSource.system(),
                LimiterSettings.defaults().withDeadlineMicros(DEADLINE.toNanos() / 1_000),
                new LimiterObserver() {});
        ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
        var ticking = ticks.scheduleAtFixedRate(
                limiter::tick, Limiter.TICK_MILLIS, Limiter.TICK_MILLIS, TimeUnit.MILLISECONDS);
        try {
            new Caller(limiter).run(seconds); // warms up the compiler
            RedisInfo before = RedisInfo.of(redis.commands());
            Caller caller = new Caller(limiter);
            caller.run(seconds);
            caller.print(consistency, seconds, RedisInfo.of(redis.commands()).since(before));
        } finally {
            ticking.cancel(false);
            ticks.shutdown();
            store.close();
        }
    }

    /** Asks, and waits if the answer does not come at once. */
    private static final class Caller implements Waiter {
        private final Limiter limiter;
        private final Request request = Request.to("bench").with("user", "u_42");
        private final MutableDecision decision = new MutableDecision();
        private final Histogram here = new Histogram(60_000_000_000L, 3);
        private final Histogram asked = new Histogram(60_000_000_000L, 3);
        private final Semaphore answered = new Semaphore(0);
        private final TimeSource time = TimeSource.system();
        private volatile boolean passed;

        Caller(Limiter limiter) {
            this.limiter = limiter;
        }

        void run(int seconds) throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            for (long began = System.nanoTime(); began - end < 0; began = System.nanoTime()) {
                if (limiter.decide(request, time.micros(), decision, () -> this)) {
                    here.recordValue(System.nanoTime() - began);
                    passed = decision.allowed();
                } else {
                    answered.acquire();
                    asked.recordValue(System.nanoTime() - began);
                }
                if (!passed) {
                    throw new IllegalStateException("denied: the run is worth nothing");
                }
            }
        }

        void print(String consistency, int seconds, RedisInfo spent) {
            double all = here.getTotalCount() + asked.getTotalCount();
            System.out.printf(
                    Locale.ROOT,
                    "%-8s %12.0f %9.3f%% %12.2f %12.2f %12.2f %12.1f %14.6f%n",
                    consistency,
                    all / seconds,
                    100 * here.getTotalCount() / all,
                    here.getValueAtPercentile(50) / 1e3,
                    here.getValueAtPercentile(99) / 1e3,
                    here.getValueAtPercentile(99.9) / 1e3,
                    asked.getValueAtPercentile(99) / 1e3,
                    spent.scripts() / all);
        }

        @Override
        public Executor home() {
            return Runnable::run;
        }

        @Override
        public void decided(Request ignored, MutableDecision buffer) {
            passed = buffer.allowed() && !buffer.degraded();
            answered.release();
        }
    }
}
