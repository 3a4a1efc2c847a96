package dev.weir.benchmarks.redis;

import dev.weir.Limit;
import dev.weir.benchmarks.BenchmarkOptions;
import dev.weir.benchmarks.Median;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.counter.CounterKeyHash;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.Idempotency;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.internal.script.BatchScript;
import dev.weir.redis.internal.script.ScriptBatch;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calibrates the cost of a request: measures what a check of each kind costs in Redis and in memory, as a multiple of
 * one plain token bucket check, which is the unit. A request has many checks of one kind, each on its own counter.
 *
 * <pre>{@code
 * MAIN=RequestCostRatios benchmarks/run [--checks 64] [--rounds 40] [--redis HOST:PORT]
 * }</pre>
 */
public final class RequestCostRatios {
    private static final long EPOCH_MICROS = 1_800_000_000_000_000L;

    /**
     * One kind of check.
     *
     * @param before hits that its counter took before, in a request of its own; 0 for a new counter
     * @param waitMillis the time between the two
     */
    private record Kind(String name, Meter meter, long before, int waitMillis, long hits, boolean idempotent) {
        static Kind of(String name, Limit limit, long before, int waitMillis, long hits) {
            return new Kind(name, Meters.of(limit), before, waitMillis, hits, false);
        }
    }

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit BUCKET = Limit.tokenBucket(1_000_000, HOUR);
    private static final Limit LOG = Limit.slidingWindowLog(10_000, HOUR);
    private static final Limit PERMITS = Limit.concurrency(10_000, HOUR);
    private static final Kind UNIT = Kind.of("token_bucket", BUCKET, 1, 0, 1);

    private static final List<Kind> KINDS = List.of(
            Kind.of("token_bucket, new counter", BUCKET, 0, 0, 1),
            Kind.of("fixed_window", Limit.fixedWindow(1_000_000, HOUR), 1, 0, 1),
            Kind.of("sliding_window", Limit.slidingWindow(1_000_000, HOUR), 1, 0, 1),
            new Kind("token_bucket, with an idempotency key", Meters.of(BUCKET), 1, 0, 1, true),
            subWindows(10),
            subWindows(100),
            subWindows(1_000),
            Kind.of("sliding_window_log, 1 hit, new", LOG, 0, 0, 1),
            Kind.of("sliding_window_log, 100 hits, new", LOG, 0, 0, 100),
            Kind.of("sliding_window_log, 1,000 hits, new", LOG, 0, 0, 1_000),
            Kind.of("sliding_window_log, 10,000 hits, new", LOG, 0, 0, 10_000),
            Kind.of("sliding_window_log, 1 hit, 100 held: grows", LOG, 100, 0, 1),
            Kind.of("sliding_window_log, 1 hit, 1,000 held: grows", LOG, 1_000, 0, 1),
            Kind.of("sliding_window_log, 1 hit, 9,999 held: grows", LOG, 9_999, 0, 1),
            Kind.of("sliding_window_log, 1 hit, 10,000 held: denied", LOG, 10_000, 0, 1),
            Kind.of(
                    "sliding_window_log, 10,000 hits, 10,000 expired",
                    Limit.slidingWindowLog(10_000, Duration.ofMillis(200)),
                    10_000,
                    300,
                    10_000),
            Kind.of("concurrency, 1 hit, new", PERMITS, 0, 0, 1),
            Kind.of("concurrency, 1 hit, 20 held", PERMITS, 20, 0, 1),
            Kind.of("concurrency, 1 hit, 9,999 held", PERMITS, 9_999, 0, 1),
            Kind.of("concurrency, 1 hit, 10,000 held: denied", PERMITS, 10_000, 0, 1),
            Kind.of("concurrency, 100 hits, new", PERMITS, 0, 0, 100),
            Kind.of("concurrency, 10,000 hits, new", PERMITS, 0, 0, 10_000),
            Kind.of("concurrency, 1 released", PERMITS, 1, 0, -1),
            Kind.of("concurrency, 100 released", PERMITS, 100, 0, -100),
            Kind.of("concurrency, 10,000 released", PERMITS, 10_000, 0, -10_000));

    private final int checks;
    private final int rounds;
    private final CounterKeyHash hash = new CounterKeyHash();
    private int requests;

    private RequestCostRatios(BenchmarkOptions options) {
        this.checks = options.number("--checks", 64);
        this.rounds = options.number("--rounds", 40);
    }

    private static Kind subWindows(int parts) {
        return Kind.of(
                "sliding_window, sub_windows: " + parts,
                Limit.slidingWindow(1_000_000, Duration.ofSeconds(1)).withSubWindows(parts),
                1,
                900,
                1);
    }

    public static void main(String[] args) throws Exception {
        BenchmarkOptions options = new BenchmarkOptions(List.of(args));
        try (RedisUnderLoad redis = RedisUnderLoad.start(options)) {
            System.out.println(redis.conditions());
            new RequestCostRatios(options).run(redis);
        }
    }

    private void run(RedisUnderLoad redis) throws InterruptedException {
        RedisClient client = RedisClient.create(redis.uri());
        RedisCommands<byte[], byte[]> commands =
                client.connect(ByteArrayCodec.INSTANCE).sync();
        BatchScript script = BatchScript.load();
        commands.scriptLoad(script.text());
        System.out.println("kind of check                                       Redis us  x unit   memory ns  x unit");
        inMemory(UNIT, 20_000);
        double unitMicros = 0;
        double unitNanos = 0;
        for (Kind kind : kinds()) {
            double micros = inRedis(kind, redis, commands, script);
            double nanos = kind.idempotent() ? Double.NaN : inMemory(kind, 50 * rounds);
            unitMicros = kind.equals(UNIT) ? micros : unitMicros;
            unitNanos = kind.equals(UNIT) ? nanos : unitNanos;
            System.out.printf(
                    Locale.ROOT,
                    "%-50s %9.2f %7.2f %11.0f %7.2f%n",
                    kind.name(),
                    micros,
                    micros / unitMicros,
                    nanos,
                    nanos / unitNanos);
            redis.commands().flushall();
        }
        client.shutdown();
    }

    private static List<Kind> kinds() {
        List<Kind> all = new ArrayList<>(List.of(UNIT));
        all.addAll(KINDS);
        return all;
    }

    /** Redis's own time for a check, microseconds: of the script calls, without the network. */
    private double inRedis(Kind kind, RedisUnderLoad redis, RedisCommands<byte[], byte[]> commands, BatchScript script)
            throws InterruptedException {
        List<Double> micros = new ArrayList<>();
        int most = kind.waitMillis() > 0 ? Math.min(rounds, 8) : rounds;
        for (int round = 0; round < most; round++) {
            Checks request = request(kind);
            if (kind.before() > 0) {
                call(commands, script, request, kind.before(), false);
                TimeUnit.MILLISECONDS.sleep(kind.waitMillis());
            }
            RedisInfo before = RedisInfo.of(redis.commands());
            call(commands, script, request, kind.hits(), kind.idempotent());
            RedisInfo spent = RedisInfo.of(redis.commands()).since(before);
            micros.add((double) spent.scriptMicros() / checks);
        }
        return Median.of(micros, each -> each);
    }

    private void call(
            RedisCommands<byte[], byte[]> commands, BatchScript script, Checks request, long hits, boolean idempotent) {
        ScriptBatch batch = new ScriptBatch(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
        @Nullable CheckGroup group = null;
        for (int i = 0; i < request.size(); i++) {
            hits(request.get(i), hits);
            if (group == null || idempotent) {
                group = new CheckGroup();
                group.idempotency = idempotent ? key(i) : null;
            }
            group.add(request.get(i));
            if (idempotent || i == request.size() - 1) {
                batch.add(group);
            }
        }
        commands.evalsha(script.digest(), ScriptOutputType.MULTI, batch.keys(false), batch.args(Long.MAX_VALUE));
    }

    private Idempotency key(int check) {
        byte[] caller = ByteBuffer.allocate(Idempotency.HASH).putInt(requests).array();
        byte[] key = ByteBuffer.allocate(Idempotency.HASH).putInt(check).array();
        return new Idempotency(caller, key, key, TimeUnit.HOURS.toMicros(1), 1_024);
    }

    /** The time of a check in the memory store, nanoseconds. */
    private double inMemory(Kind kind, int most) {
        List<Double> nanos = new ArrayList<>();
        long now = EPOCH_MICROS;
        try (MemoryStore store = new MemoryStore(1_000_000, 1L << 30)) {
            for (int round = 0; round < most; round++) {
                Checks request = request(kind);
                if (kind.before() > 0) {
                    ask(store, request, kind.before(), now);
                }
                now += 1_000L * kind.waitMillis();
                long began = System.nanoTime();
                ask(store, request, kind.hits(), now);
                nanos.add((double) (System.nanoTime() - began) / checks);
                for (int i = 0; i < request.size(); i++) {
                    store.forget(request.get(i));
                }
                now += TimeUnit.HOURS.toMicros(2); // what this round left has expired
            }
        }
        return Median.of(nanos.subList(nanos.size() / 2, nanos.size()), each -> each);
    }

    private static void ask(MemoryStore store, Checks request, long hits, long now) {
        for (int i = 0; i < request.size(); i++) {
            hits(request.get(i), hits);
        }
        store.decide(request, now);
    }

    /** Sets the hits; those of a concurrency limit have ids, and releases name the ids that were taken last. */
    private static void hits(Check check, long hits) {
        check.hits = hits;
        if (hits > 0 && check.meter instanceof PermitSet permits) {
            check.meter = permits.holding(permits.firstId() + permits.permits() + 1, hits);
        }
    }

    /** A request whose checks have counters that no other has. */
    private Checks request(Kind kind) {
        requests++;
        Checks request = new Checks();
        for (int i = 0; i < checks; i++) {
            Check check = request.add();
            check.meter = kind.meter();
            String text = String.format(Locale.ROOT, "bench:cost:%06d:%04d", requests, i);
            hash.reset().add(text).end();
            check.key0 = hash.key0();
            check.key1 = hash.key1();
            check.name.clear();
            check.name.subject(requests);
            for (int at = 0; at < text.length(); at++) {
                check.name.append((byte) text.charAt(at));
            }
        }
        return request;
    }
}
