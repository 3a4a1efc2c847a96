package dev.weir.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.algorithm.MeterKind;
import dev.weir.internal.batching.CheckGroup;
import dev.weir.internal.store.Check;
import dev.weir.internal.store.Checks;
import dev.weir.internal.store.memory.MemoryStore;
import dev.weir.redis.testkit.RedisProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * The twins are equal: whatever happens to a few counters, in batches on a real Redis and one by one in memory, every answer is the
 * same, and so is every state that is kept, to the last digit.
 */
class ScriptEqualsJavaTest {
    private static final RedisProcess redis = RedisProcess.start();
    private static final ScriptStore script = new ScriptStore(redis);

    @AfterContainer
    static void stop() {
        script.shutDown();
        redis.stop();
    }

    @Property(tries = 120, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void onOrdinaryHistories(@ForAll long seed) {
        play(new RandomHistory(new Random(seed), false), 12);
    }

    @Property(tries = 120, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    void atTheEdgesOfWhatNumbersCanBe(@ForAll long seed) {
        play(new RandomHistory(new Random(seed), true), 6);
    }

    private static void play(RandomHistory history, int batches) {
        script.close();
        MemoryStore memory = new MemoryStore(100_000, 64 << 20);
        Map<Long, ExpectedBlock> blocks = new HashMap<>();
        ScriptBatch batch = new ScriptBatch(1 << 20, 1 << 20, 1 << 20);
        for (int i = 0; i < batches; i++) {
            long now = history.next();
            batch.clear();
            for (CheckGroup group : history.groups()) {
                assertThat(batch.add(group)).isTrue();
            }
            assertThat(script.run(batch, now)).as("%s at %d", history, now).isEqualTo(BatchStatus.DONE);
            for (int g = 0; g < batch.groups(); g++) {
                CheckGroup group = batch.group(g);
                assertSame(group, alone(memory, group, now), history.describe(group) + " at " + now);
                ExpectedBlock.settle(blocks, group, now);
            }
            assertStates(batch, blocks, now);
        }
    }

    /** The outcomes that {@code group} would get alone. */
    private static Checks alone(MemoryStore memory, CheckGroup group, long now) {
        Checks checks = new Checks();
        checks.quotaPassed = group.quotaPassed;
        for (int i = 0; i < group.size(); i++) {
            Check from = group.get(i);
            Check check = checks.add();
            check.key0 = from.key0;
            check.key1 = from.key1;
            check.meter = from.meter;
            check.hits = from.hits;
            check.window = from.window;
            check.owed = from.owed;
            check.countsDenied = from.countsDenied && !group.askOnly;
            check.role = from.role;
            check.granted = 0;
        }
        if (group.askOnly) {
            RandomHistory.alwaysOver(checks.add());
        }
        memory.decide(checks, now);
        if (group.size() == 1 ? checks.get(0).outcome.allowed && !group.askOnly : group.allowed) {
            for (int i = 0; i < group.size(); i++) {
                if (group.leases(i)) {
                    lease(memory, checks.get(i), group.get(i).ahead, now);
                }
            }
        }
        return checks;
    }

    /** Takes the lease hit by hit, until the next one does not fit. */
    private static void lease(MemoryStore memory, Check check, long ahead, long now) {
        Checks single = new Checks();
        Check each = single.add();
        each.set(check);
        each.window = 0;
        each.countsDenied = false;
        each.role = Check.Role.ENFORCE;
        each.hits = 1;
        while (check.granted < ahead && memory.decide(single, now)) {
            check.granted++;
        }
        each.hits = 0;
        memory.decide(single, now);
        check.outcome.standAs(each.outcome);
    }

    private static void assertSame(CheckGroup group, Checks expected, String what) {
        assertThat(group.allowed).as(what).isEqualTo(expected.allowed());
        for (int i = 0; i < group.size(); i++) {
            assertThat(OutcomeValues.of(group.get(i).outcome))
                    .as("check %d of %s", i, what)
                    .isEqualTo(OutcomeValues.of(expected.get(i).outcome));
            assertThat(group.get(i).granted)
                    .as("ahead with check %d of %s", i, what)
                    .isEqualTo(expected.get(i).granted);
        }
    }

    private static void assertStates(ScriptBatch batch, Map<Long, ExpectedBlock> blocks, long now) {
        List<Long> seen = new ArrayList<>();
        for (int g = batch.groups() - 1; g >= 0; g--) {
            for (int i = batch.group(g).size() - 1; i >= 0; i--) {
                Check check = batch.group(g).get(i);
                if (seen.contains(check.key0)) {
                    continue;
                }
                seen.add(check.key0);
                byte[] key = RedisKey.of(check.name);
                byte[] value = script.redis().get(key);
                ExpectedBlock block = blocks.get(check.key0);
                if (block != null) {
                    assertThat(ExpectedBlock.decode(value, check, now))
                            .as("state of %s", RandomHistory.meter(check).limit())
                            .isEqualTo(block.live(check, now));
                } else {
                    assertThat(StateFormat.word0(RandomHistory.meter(check).counting(), value))
                            .as("word 0 of %s", RandomHistory.meter(check).limit())
                            .isEqualTo(batch.word0(check));
                    assertThat(StateFormat.word1(RandomHistory.meter(check).counting(), value))
                            .as("word 1 of %s", RandomHistory.meter(check).limit())
                            .isEqualTo(batch.word1(check));
                }
                boolean written = batch.group(g).allowed && check.outcome.allowed && check.hits > 0;
                if (written && g == batch.groups() - 1) {
                    assertThat(script.redis().pttl(key))
                            .as("forgotten some day")
                            .isPositive();
                    if (RandomHistory.meter(check).counting() != MeterKind.SUB_WINDOWS) {
                        assertThat(StateFormat.forgottenMillis(value) - ScriptStore.GRACE)
                                .as("not forgotten as long as it says something")
                                .isGreaterThan((now + check.outcome.reset) / 1_000);
                    }
                }
            }
        }
    }
}
