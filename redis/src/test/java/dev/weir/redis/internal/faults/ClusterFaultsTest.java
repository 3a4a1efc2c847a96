package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Masters of a cluster are killed and stopped, and slots move. */
class ClusterFaultsTest extends ClusterFixture {
    private static final Duration DEADLINE = Duration.ofMillis(250);
    /** Longer than anybody waits on a machine that is busy with other things. */
    private static final Duration PATIENT = Duration.ofSeconds(4);
    /** The longest recovery after the cluster is whole again; a failover takes node-timeout and about a second. */
    private static final Duration BACK = Duration.ofSeconds(2);

    /** The longest recovery after the fault: the cluster's detection and vote, and ours. */
    private static final Duration BACK_IN_ALL =
            Duration.ofMillis(RedisCluster.NODE_TIMEOUT_MILLIS).plusSeconds(3);

    private RedisSharedStore store;
    private RedisProcess victim;
    private String[] keys;

    @BeforeEach
    void open() {
        cluster.masters().forEach(master -> master.cli("FLUSHALL"));
        // Probes are as rare as by default: the change of the cluster triggers the recovery, not luck.
        store = StoreFixture.open(RedisSettings.of(cluster.uri()).withDeadline(DEADLINE));
        victim = cluster.masterOf(0);
        List<String> some = new ArrayList<>();
        for (RedisProcess master : cluster.masters()) {
            keysOf(master).limit(3).forEach(some::add);
        }
        some.forEach(key -> StoreFixture.awaitServed(store, key));
        keys = some.toArray(String[]::new);
    }

    @AfterEach
    void close() {
        store.close();
        requireFullCoverage("no");
    }

    private static void requireFullCoverage(String yesOrNo) {
        cluster.nodes().stream()
                .filter(RedisProcess::isRunning)
                .forEach(node -> node.cli("CONFIG", "SET", "cluster-require-full-coverage", yesOrNo));
    }

    private SteadyLoad load() {
        return SteadyLoad.on(store, PLENTY, DEADLINE, keys);
    }

    private static void assertNotMoreTakenThanAsked(RedisSharedStore store, AnswerTally all, String... keys) {
        for (String key : keys) {
            assertThat(StoreFixture.taken(store, key, PLENTY))
                    .as("taken from %s: %s", key, all)
                    .isLessThanOrEqualTo(all.admitted(key) + all.failed(key));
        }
    }

    @Test
    void aKilledMasterFailsItsOwnKeysOnlyAndItsReplicaTakesOver() {
        assertOnlyItsOwnKeysFail(victim::kill, victim::restart);
    }

    @Test
    void aStoppedMasterFailsItsOwnKeysOnlyAndItsReplicaTakesOver() {
        assertOnlyItsOwnKeysFail(victim::pause, victim::resume);
    }

    private void assertOnlyItsOwnKeysFail(Runnable fault, Runnable cure) {
        String[] its = Stream.of(keys)
                .filter(key -> cluster.masterOf(slotOf(key)) == victim)
                .toArray(String[]::new);
        String[] others =
                Stream.of(keys).filter(key -> !List.of(its).contains(key)).toArray(String[]::new);
        assertThat(its).hasSize(3);
        try (SteadyLoad failing = SteadyLoad.on(store, PLENTY, DEADLINE, its);
                SteadyLoad beside = SteadyLoad.on(store, PLENTY, PATIENT, others)) {
            failing.awaitServing(Duration.ofSeconds(10));
            failing.next();
            long began = System.nanoTime();
            fault.run();
            failing.awaitFailures(100);
            cluster.awaitFailover(victim);
            Duration failover = Duration.ofNanos(System.nanoTime() - began);
            failing.awaitServing(BACK);
            // On a machine too busy for the cluster to notice and to vote in time, our own part is what can be held to.
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("from the fault until nobody is failed any more; the cluster took %s", failover)
                    .isLessThan(BACK_IN_ALL.plus(late(failover)));
            assertNotMoreTakenThanAsked(store, failing.end(), its);
            // Callers with a deadline of seconds never fail, and they do not wait.
            AnswerTally unharmed = beside.end();
            assertThat(unharmed.failed())
                    .as("of the other shards: %s", unharmed)
                    .isZero();
            assertThat(unharmed.laterThan(DEADLINE.minus(PATIENT)))
                    .as("of the other shards who waited longer than %s: %s", DEADLINE, unharmed)
                    .isLessThan(unharmed.answeredCount() / 100);
            assertNotMoreTakenThanAsked(store, unharmed, others);
        } finally {
            cure.run();
            cluster.awaitWhole();
        }
    }

    /** Returns how much longer a failover took than on an idle cluster. */
    private static Duration late(Duration failover) {
        Duration late = failover.minus(BACK_IN_ALL.minus(BACK));
        return late.isNegative() ? Duration.ZERO : late;
    }

    @Test
    void withFullCoverageAllKeysFailForAMomentAndComeBack() {
        requireFullCoverage("yes");
        try (SteadyLoad load = load()) {
            load.awaitServing(Duration.ofSeconds(10));
            load.next();
            victim.kill();
            load.awaitFailures(100);
            cluster.awaitFailover(victim);
            load.awaitServing(BACK);
            assertNotMoreTakenThanAsked(store, load.end(), keys);
        } finally {
            victim.restart();
            cluster.awaitWhole();
        }
    }

    /** The address names one node, which is gone; the others are known all the same. */
    @Test
    void aMasterThatIsDownAtTheStartFailsItsOwnKeysOnly() {
        requireFullCoverage("no");
        String its = keysOf(victim).findFirst().orElseThrow();
        String other = Stream.of(keys)
                .filter(key -> cluster.masterOf(slotOf(key)) != victim)
                .findFirst()
                .orElseThrow();
        victim.pause();
        try (RedisSharedStore late = StoreFixture.open(cluster.uri())) {
            StoreFixture.awaitServed(late, other);
            cluster.awaitFailover(victim);
            await().atMost(BACK).until(() -> StoreFixture.ask(late, its, PLENTY, 0).failure == null);
        } finally {
            victim.resume();
            cluster.awaitWhole();
        }
    }

    @Test
    void aHashSlotThatMigratesUnderLoadLosesNothingAndCountsNothingTwice() {
        String moving = keysOf(victim).findFirst().orElseThrow();
        int slot = slotOf(moving);
        RedisProcess other = cluster.masters().stream()
                .filter(master -> master != victim)
                .findFirst()
                .orElseThrow();
        try (SteadyLoad load = SteadyLoad.on(store, PLENTY, Duration.ofSeconds(2), keys)) {
            load.awaitServing(Duration.ofSeconds(10));
            for (int i = 0; i < 6; i++) {
                cluster.moveSlot(slot, i % 2 == 0 ? other : victim);
                load.awaitAnswers(50);
                load.next();
            }
            AnswerTally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            for (String key : keys) {
                assertThat(StoreFixture.taken(store, key, PLENTY)).as(key).isEqualTo(all.admitted(key));
            }
            assertThat(all.admitted(moving)).isPositive();
        }
    }
}
