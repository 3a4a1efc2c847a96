package dev.weir.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Limit;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.PermitLevels;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/** The script keeps the levels and mailboxes of nodes as Java does, in any order of asks, late and repeated ones too. */
class ScriptPermitLevelsTest {
    private static final RedisProcess redis = RedisProcess.start();
    private static final ScriptStore script = new ScriptStore(redis);
    private static final int NODES = 4;

    private final long[] numbers = new long[NODES];

    @AfterContainer
    static void stop() {
        script.shutDown();
        redis.stop();
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void onRandomHistories(@ForAll long seed) {
        script.close();
        Random random = new Random(seed);
        MemoryStore memory = new MemoryStore(1_000, 8 << 20);
        ScriptBatch batch = new ScriptBatch(1 << 20, 1 << 20, 1 << 20);
        long now = 1_700_000_123_456_789L;
        for (int i = 0; i < 15; i++) {
            now += random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextInt(3) > 0 ? 100_000 : 20_000_000);
            batch.clear();
            int size = 1 + random.nextInt(12);
            for (int g = 0; g < size; g++) {
                assertThat(batch.add(group(random))).isTrue();
            }
            assertThat(script.run(batch, now)).as("seed %d, batch %d", seed, i).isEqualTo(BatchStatus.DONE);
            for (int g = 0; g < batch.groups(); g++) {
                compare(batch.group(g), memory, now, "seed " + seed + ", batch " + i + ", group " + g);
            }
        }
    }

    /** A check on one of two limits, or on both, some with a rate that may deny. */
    private CheckGroup group(Random random) {
        CheckGroup group = new CheckGroup();
        int first = random.nextInt(2);
        group.add(levels(random, first));
        if (random.nextInt(4) == 0) {
            group.add(levels(random, 1 - first));
        }
        if (random.nextInt(6) == 0) {
            Check over = new Check();
            RandomHistory.alwaysOver(over);
            ScriptStore.name(over);
            group.add(over);
        }
        group.askOnly = random.nextInt(10) == 0;
        return group;
    }

    private Check levels(Random random, int key) {
        long requests = random.nextInt(20) == 0 ? 3 : key == 0 ? 12 : 100;
        Duration ttl = Duration.ofSeconds(random.nextInt(15) == 0 ? 2 : 20);
        PermitLevels limit = PermitLevels.of(Limit.concurrency(requests, ttl));
        Check check = new Check();
        check.key0 = 200L + key;
        check.key1 = 9;
        check.role = random.nextInt(3) == 0 ? Check.Role.SHADOW : Check.Role.ENFORCE;
        int index = random.nextInt(NODES);
        long node = 1L + index;
        int kind = random.nextInt(12);
        check.hits = 1;
        if (kind < 6) {
            numbers[index] += random.nextInt(8) == 0 ? 0 : 1;
            long number = Math.max(1, numbers[index] - (random.nextInt(10) == 0 ? 2 : 0));
            long inFlight = random.nextInt(5);
            long wanted = inFlight + random.nextInt(40);
            long kept = random.nextBoolean() ? 1L << 50 : random.nextInt(10);
            check.hits = 1L + random.nextInt(random.nextInt(10) == 0 ? 200 : 4);
            long needed = random.nextBoolean() ? 0 : inFlight + check.hits;
            check.meter = limit.telling(node, number, kept, inFlight, wanted, needed, random.nextInt(3));
        } else if (kind < 9) {
            check.meter = limit.mailing(node, 1L + random.nextInt(6));
        } else if (kind < 11) {
            check.meter = limit.reading(node, random.nextInt(4));
        } else {
            check.meter = limit;
            check.hits = random.nextInt(5) - 1L;
        }
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
            Outcome told = group.get(i).outcome;
            Outcome expected = checks.get(i).outcome;
            String which = "check " + i + " of " + what;
            assertThat(OutcomeValues.of(told)).as(which).isEqualTo(OutcomeValues.of(expected));
            if (group.get(i).meter instanceof PermitLevels) {
                assertThat(told.state0).as(which).isEqualTo(expected.state0);
                assertThat(told.state1).as(which).isEqualTo(expected.state1);
            }
        }
    }
}
