package dev.weir.benchmarks;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.memory.MemoryStore;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Measures one key, with one thread and with two: two together must not be slower. */
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

    /**
     * A store with other keys as well: in an empty one the key's slot may share a cache line with a thread's own data.
     */
    @State(Scope.Benchmark)
    public static class Shared {
        private static final int OTHERS = 10_000;

        private final MemoryStore store = new MemoryStore(100_000);

        /** Requests per second: so many that all pass, or so few that most are denied. */
        @Param({"1000000000", "1000"})
        public int limit;

        @Nullable
        private Meter meter;

        @Setup
        public final void fill() {
            meter = Meters.of(Limit.tokenBucket(limit, Duration.ofSeconds(1)));
            Caller caller = new Caller();
            for (int i = 0; i < OTHERS; i++) {
                caller.tryAcquire(this, "another, " + i);
            }
        }
    }

    /** The data of one thread. */
    @State(Scope.Thread)
    public static class Caller {
        private final CounterKeyHash hash = new CounterKeyHash();
        private final Checks checks = new Checks();

        boolean tryAcquire(Shared shared) {
            return tryAcquire(shared, "the one that everybody asks for");
        }

        private boolean tryAcquire(Shared shared, String key) {
            hash.reset().add(key).end();
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
