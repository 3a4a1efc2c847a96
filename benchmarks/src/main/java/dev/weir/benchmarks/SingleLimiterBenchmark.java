package dev.weir.benchmarks;

import dev.weir.Limit;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures a limiter with one key beside Guava's {@code RateLimiter}, which has no keys: with so many permits a second that all
 * calls pass, and with so few that nearly all are denied. {@code -t 2} measures two threads.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class SingleLimiterBenchmark {
    @Param({"1000000000", "1000"})
    int perSecond;

    private dev.weir.@Nullable RateLimiter weir;
    private com.google.common.util.concurrent.@Nullable RateLimiter guava;

    @Setup
    public void prepare() {
        weir = dev.weir.RateLimiter.of(Limit.tokenBucket(perSecond, Duration.ofSeconds(1)));
        guava = com.google.common.util.concurrent.RateLimiter.create(perSecond);
    }

    @TearDown
    public void close() {
        if (weir != null) {
            weir.close();
        }
    }

    @Benchmark
    public boolean weir() {
        return weir != null && weir.tryAcquire("all");
    }

    @Benchmark
    public boolean weirByNumber() {
        return weir != null && weir.tryAcquire(7L);
    }

    @Benchmark
    public boolean guava() {
        return guava != null && guava.tryAcquire();
    }
}
