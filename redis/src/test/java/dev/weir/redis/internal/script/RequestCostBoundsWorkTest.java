package dev.weir.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.redis.testkit.RedisProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/** The cost of a batch, counted before it runs, bounds the commands that its script calls, whatever it meets. */
class RequestCostBoundsWorkTest {
    private static final long NOW = 1_800_000_000_000_000L;
    private static final int COMMANDS_PER_UNIT = 8;
    /** The script itself, the read of all counters, and those that read the statistics. */
    private static final int COMMANDS_OF_A_CALL = 4;

    private static final int LONGEST_LOG = 10_000;
    private static final List<Check.Role> ROLES = List.of(Check.Role.values());
    private static final long HOUR = Duration.ofHours(1).toNanos() / 1_000;
    private static final List<Meter> METERS = List.of(
            Meters.of(Limit.tokenBucket(100, Duration.ofHours(1))),
            Meters.of(Limit.fixedWindow(100, Duration.ofHours(1))),
            Meters.of(Limit.slidingWindow(100, Duration.ofHours(1))),
            Meters.of(Limit.slidingWindow(100, Duration.ofHours(1)).withSubWindows(1_000)),
            Meters.of(Limit.slidingWindowLog(LONGEST_LOG, Duration.ofHours(1))),
            Meters.of(Limit.slidingWindowLog(500, Duration.ofMinutes(30))));
    private static final List<Meter> LOGS = METERS.subList(4, 6);

    private static final RedisProcess redis = RedisProcess.start();
    private static final ScriptStore script = new ScriptStore(redis);

    @AfterContainer
    static void stop() {
        script.shutDown();
        redis.stop();
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void forAnyRequest(@ForAll long seed) {
        Random random = new Random(seed);
        script.close();
        ScriptBatch batch = new ScriptBatch(1 << 20, 1 << 20, 1 << 20);
        for (int groups = 1 + random.nextInt(4); groups > 0; groups--) {
            CheckGroup group = new CheckGroup();
            for (int checks = 1 + random.nextInt(12); checks > 0; checks--) {
                group.add(check(random));
            }
            group.askOnly = random.nextInt(8) == 0;
            assertThat(batch.add(group)).isTrue();
        }
        assertWorkIsBounded(batch);
    }

    /**
     * The costliest searches of one check: for the entries of a long ring that have expired, and then for the newest one that is left
     * after a give-back, or for the one that makes room again after a denial, perhaps under a limit that was lowered since.
     */
    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void forOneCheckOfALongLog(@ForAll long seed) {
        Random random = new Random(seed);
        script.close();
        Check check = check(random, LOGS.get(random.nextInt(LOGS.size())), random.nextInt(-LONGEST_LOG, 500));
        script.redis().set(RedisKey.of(check.name), log(random, LONGEST_LOG));
        ScriptBatch batch = new ScriptBatch(1 << 20, 1 << 20, 1 << 20);
        CheckGroup group = new CheckGroup().add(check);
        group.askOnly = random.nextInt(4) == 0;
        assertThat(batch.add(group)).isTrue();
        assertWorkIsBounded(batch);
    }

    private static void assertWorkIsBounded(ScriptBatch batch) {
        long before = commands();
        assertThat(script.run(batch, NOW)).isEqualTo(BatchStatus.DONE);
        assertThat(commands() - before)
                .as("commands of a batch that costs %d", batch.cost())
                .isLessThanOrEqualTo(COMMANDS_OF_A_CALL + COMMANDS_PER_UNIT * batch.cost());
    }

    private static Check check(Random random) {
        Meter meter = METERS.get(random.nextInt(METERS.size()));
        long hits = switch (random.nextInt(4)) {
            case 0 -> 1;
            case 1 -> -random.nextInt(5_000);
            default -> random.nextInt(12_000);
        };
        return check(random, meter, hits);
    }

    private static Check check(Random random, Meter meter, long hits) {
        Check check = new Check();
        check.meter = meter;
        check.key0 = random.nextInt(6) * 31L + METERS.indexOf(meter);
        check.key1 = check.key0;
        check.hits = hits;
        check.role = ROLES.get(random.nextInt(ROLES.size()));
        check.countsDenied = random.nextInt(4) == 0;
        ScriptStore.name(check);
        byte[] key = RedisKey.of(check.name);
        if (check.meter.counting() == MeterKind.LOG && script.redis().exists(key) == 0) {
            script.redis().set(key, log(random, (int) check.meter.limit().requests()));
        }
        return check;
    }

    /** A ring with many entries, of which some have expired; it is full, or wraps around, or neither. */
    private static byte[] log(Random random, int requests) {
        int room = 7 + random.nextInt(requests);
        int first = random.nextInt(room);
        int count = 1 + random.nextInt(room);
        int base = random.nextInt(1 << 16);
        ByteBuffer bytes = ByteBuffer.allocate(18 + 9 * room);
        bytes.put((byte) 5);
        number(bytes, NOW / 1_000 + HOUR, 6);
        number(bytes, room, 3);
        number(bytes, first, 3);
        number(bytes, count, 3);
        number(bytes, base, 2);
        long oldest = NOW - HOUR - random.nextInt((int) (HOUR / 1_000)) * 1_000L;
        for (int i = 0; i < count; i++) {
            bytes.position(18 + 9 * ((first + i) % room));
            number(bytes, oldest + (NOW - oldest) / count * i, 7);
            number(bytes, (base + i + 1) & 0xFFFF, 2);
        }
        return bytes.array();
    }

    private static void number(ByteBuffer into, long number, int bytes) {
        for (int i = bytes - 1; i >= 0; i--) {
            into.put((byte) (number >>> (8 * i)));
        }
    }

    private static long commands() {
        return script.redis()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_"))
                .mapToLong(line -> Long.parseLong(
                        line.substring(line.indexOf("calls=") + 6, line.indexOf(',', line.indexOf("calls=")))))
                .sum();
    }
}
