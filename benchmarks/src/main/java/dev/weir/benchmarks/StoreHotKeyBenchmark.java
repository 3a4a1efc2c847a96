package dev.weir.benchmarks;

import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Meters;
import dev.weir.model.Limit;
import dev.weir.store.Check;
import dev.weir.store.Checks;
import dev.weir.store.KeyHash;
import dev.weir.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** One key, by one thread and by two: together they must not be slower. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class StoreHotKeyBenchmark {
    private static final long EPOCH = System.currentTimeMillis() * 1_000 - System.nanoTime() / 1_000;

    @Benchmark
    @Threads(1)
    public boolean oneThread(Shared shared, Caller caller) {
        return caller.tryAcquire(shared);
    }

    @Benchmark
    @Threads(2)
    public boolean twoThreads(Shared shared, Caller caller) {
        return caller.tryAcquire(shared);
    }

    /** The store. */
    @State(Scope.Benchmark)
    public static class Shared {
        final MemoryStore store = new MemoryStore(100_000);
        final Meter meter = Meters.of(Limit.tokenBucket(1_000_000, Duration.ofSeconds(1)));
    }

    /** What each thread has of its own. */
    @State(Scope.Thread)
    public static class Caller {
        private final KeyHash hash = new KeyHash();
        private final Checks checks = new Checks();

        boolean tryAcquire(Shared shared) {
            hash.reset().add("the one that everybody asks for").end();
            checks.clear();
            Check check = checks.add();
            check.key0 = hash.key0();
            check.key1 = hash.key1();
            check.meter = shared.meter;
            check.hits = 1;
            return shared.store.decide(checks, EPOCH + System.nanoTime() / 1_000);
        }
    }
}
