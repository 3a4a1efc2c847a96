package dev.weir.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Meter;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.PermitSet;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/** The script counts permits as Java does, in any order of taking, releasing and renewing, beside rates. */
class ScriptPermitsTest {
    private static final RedisProcess redis = RedisProcess.start();
    private static final ScriptStore script = new ScriptStore(redis);

    @AfterContainer
    static void stop() {
        script.shutDown();
        redis.stop();
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void onRandomHistories(@ForAll long seed) {
        script.close();
        Random random = new Random(seed);
        MemoryStore memory = new MemoryStore(1_000, 8 << 20);
        List<long[]> ids = new ArrayList<>();
        ScriptBatch batch = new ScriptBatch(1 << 20, 1 << 20, 1 << 20);
        long now = 1_700_000_123_456_789L;
        for (int i = 0; i < 15; i++) {
            now += random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 1_000 : 20_000_000);
            batch.clear();
            int size = 1 + random.nextInt(20);
            for (int g = 0; g < size; g++) {
                assertThat(batch.add(group(random, ids))).isTrue();
            }
            assertThat(script.run(batch, now)).as("seed %d, batch %d", seed, i).isEqualTo(BatchStatus.DONE);
            for (int g = 0; g < batch.groups(); g++) {
                compare(batch.group(g), memory, now, "seed " + seed + ", batch " + i + ", group " + g);
            }
        }
    }

    private static CheckGroup group(Random random, List<long[]> ids) {
        CheckGroup group = new CheckGroup();
        int first = random.nextInt(2);
        int permits = random.nextInt(3);
        for (int i = 0; i < permits; i++) {
            group.add(permit(random, (first + i) % 2, ids));
        }
        if (permits == 0 || random.nextInt(3) == 0) {
            group.add(rate(random));
        }
        group.askOnly = random.nextInt(10) == 0;
        return group;
    }

    private static Check permit(Random random, int key, List<long[]> ids) {
        long requests = random.nextInt(20) == 0 ? 3 : key == 0 ? 6 : 40;
        Duration ttl = Duration.ofSeconds(random.nextInt(15) == 0 ? 5 : 60);
        PermitSet limit = (PermitSet) Meters.of(Limit.concurrency(requests, ttl));
        Check check = new Check();
        check.key0 = 100L + key;
        check.key1 = 7;
        check.role = Check.Role.ENFORCE;
        long[] known = ids.isEmpty() ? null : ids.get(random.nextInt(ids.size()));
        int kind = random.nextInt(10);
        if (kind < 5 || known == null) {
            long count = random.nextInt(6) == 0 ? 1L + random.nextInt(8) : 1;
            long id = 1 + (random.nextLong() >>> 3);
            ids.add(new long[] {id, count});
            check.meter = limit.holding(id, count);
            check.hits = count;
            check.role = random.nextInt(6) == 0 ? Check.Role.SHADOW : Check.Role.ENFORCE;
        } else if (kind < 7) {
            check.meter = limit.holding(known[0], known[1]);
            check.hits = -known[1];
            check.role = Check.Role.SHADOW;
        } else if (kind < 8) {
            check.meter = limit.renewing(known[0], known[1]);
            check.hits = known[1];
            check.role = Check.Role.SHADOW;
        } else if (kind < 9) {
            check.meter = limit;
            check.hits = -1L - random.nextInt(3);
        } else {
            check.meter = limit;
            check.hits = 0;
        }
        ScriptStore.name(check);
        return check;
    }

    private static Check rate(Random random) {
        Meter meter = Meters.of(Limit.tokenBucket(20, Duration.ofSeconds(30)));
        Check check = new Check();
        check.key0 = 55;
        check.key1 = 8;
        check.meter = meter;
        check.hits = 1L + random.nextInt(3);
        check.role = Check.Role.ENFORCE;
        ScriptStore.name(check);
        return check;
    }

    private static void compare(CheckGroup group, MemoryStore memory, long now, String what) {
        Checks checks = new Checks();
        for (int i = 0; i < group.size(); i++) {
            checks.add().set(group.get(i));
        }
        if (group.askOnly) {
            RandomHistory.alwaysOver(checks.add());
        }
        memory.decide(checks, now);
        assertThat(group.allowed).as(what).isEqualTo(checks.allowed());
        for (int i = 0; i < group.size(); i++) {
            assertThat(OutcomeValues.of(group.get(i).outcome))
                    .as("check %d of %s: %d hits", i, what, group.get(i).hits)
                    .isEqualTo(OutcomeValues.of(checks.get(i).outcome));
        }
    }
}
