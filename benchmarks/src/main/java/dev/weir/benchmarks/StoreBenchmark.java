package dev.weir.benchmarks;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.memory.MemoryStore;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures one decision on a million keys by one thread, Zipf 1.0: hash of the key, clock, lookup, token bucket. Each
 * side gets a key that was not hashed before.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 2, jvmArgs = "-Xmx2g")
public class StoreBenchmark {
    private static final int KEYS = Integer.getInteger("keys", 1_000_000);
    private static final long EPOCH = System.currentTimeMillis() * 1_000 - System.nanoTime() / 1_000;

    private final StoreZipfKeys keys = new StoreZipfKeys(KEYS);

    @Benchmark
    public boolean weir(Weir weir) {
        return weir.tryAcquire(keys.next());
    }

    @Benchmark
    public boolean bucket4j(Bucket4j peer) {
        return peer.tryAcquire(keys.next());
    }

    /** The memory store, filled. */
    @State(Scope.Thread)
    public static class Weir {
        private final MemoryStore store = new MemoryStore(2 * KEYS);
        private final Meter meter = Meters.of(Limit.tokenBucket(100, Duration.ofSeconds(1)));
        private final CounterKeyHash hash = new CounterKeyHash();
        private final Checks checks = new Checks();

        @Setup
        public void fill() {
            for (String key : new StoreZipfKeys(KEYS).all()) {
                tryAcquire(key);
            }
        }

        boolean tryAcquire(String key) {
            hash.reset().add(key).end();
            checks.clear();
            Check check = checks.add();
            check.key0 = hash.key0();
            check.key1 = hash.key1();
            check.meter = meter;
            check.hits = 1;
            return store.decide(checks, EPOCH + System.nanoTime() / 1_000);
        }
    }

    /** The code that a user of Bucket4j writes, filled. */
    @State(Scope.Thread)
    public static class Bucket4j {
        private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();

        @Setup
        public void fill() {
            for (String key : new StoreZipfKeys(KEYS).all()) {
                tryAcquire(key);
            }
        }

        boolean tryAcquire(String key) {
            return buckets.computeIfAbsent(key, k -> newBucket()).tryConsume(1);
        }

        private static Bucket newBucket() {
            return Bucket.builder()
                    .withCustomTimePrecision(TimeMeter.SYSTEM_NANOTIME)
                    .addLimit(limit -> limit.capacity(100).refillGreedy(100, Duration.ofSeconds(1)))
                    .build();
        }
    }
}
