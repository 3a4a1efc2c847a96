package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.faults.NetworkFaultsTest.assertCountedOnce;
import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreFailure;
import dev.weir.internal.counter.CounterName;
import dev.weir.redis.internal.inspection.CounterState;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.AwaitableAsk;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Somebody works on a cluster: masters change places, lose slots, and say wrongly where they are. */
class ClusterChangesTest extends ClusterFixture {
    private static final Duration PATIENT = Duration.ofSeconds(3);
    private static final Duration BACK = Duration.ofSeconds(8);
    private RedisSharedStore store;
    private RedisProcess master;
    private String its;
    private String[] keys;

    @BeforeEach
    void open() {
        cluster.masters().forEach(each -> each.cli("FLUSHALL"));
        store = StoreFixture.open(cluster.uri());
        master = cluster.masterOf(0);
        keys = cluster.masters().stream().flatMap(each -> keysOf(each).limit(2)).toArray(String[]::new);
        its = keysOf(master).findFirst().orElseThrow();
        Stream.of(keys).forEach(key -> StoreFixture.awaitServed(store, key));
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** A forced takeover: there are two masters for a moment, and the old one's last counts are lost. */
    @Test
    void aReplicaThatTakesOverByForceIsFollowed() {
        try (SteadyLoad load = SteadyLoad.on(store, PLENTY, PATIENT, keys)) {
            load.awaitServing(BACK);
            cluster.replicaOf(master).cli("CLUSTER", "FAILOVER", "TAKEOVER");
            cluster.awaitFailover(master);
            load.next();
            load.awaitAnswers(100);
            load.awaitServing(BACK);
            cluster.awaitWhole();
            AnswerTally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            for (String key : keys) {
                assertThat(StoreFixture.taken(store, key, PLENTY)).as(key).isLessThanOrEqualTo(all.admitted(key));
            }
        }
    }

    /** Operators' commands follow a counter: with its hash slot migrating, migrated, and on another master. */
    @Test
    void aCounterIsLookedIntoAndForgottenWhereverItIsByNow() throws Exception {
        RedisProcess other = cluster.masters().stream()
                .filter(each -> each != master)
                .findFirst()
                .orElseThrow();
        String slot = Integer.toString(slotOf(its));
        assertThat(StoreFixture.ask(store, its, PLENTY, 3).failure).isNull();
        other.cli("CLUSTER", "SETSLOT", slot, "IMPORTING", String.valueOf(master.cli("CLUSTER", "MYID")));
        master.cli("CLUSTER", "SETSLOT", slot, "MIGRATING", String.valueOf(other.cli("CLUSTER", "MYID")));
        try {
            master.cli("MIGRATE", "127.0.0.1", Integer.toString(other.port()), StoreFixture.redisKey(its), "0", "5000");
            assertThat(used(its)).isEqualTo(3);
        } finally {
            cluster.moveSlot(slotOf(its), other);
        }
        assertThat(used(its)).isEqualTo(3);
        cluster.moveSlot(slotOf(its), master);
        assertThat(used(its)).isEqualTo(3);

        master.awaitReplica();
        cluster.replicaOf(master).cli("CLUSTER", "FAILOVER", "TAKEOVER");
        cluster.awaitFailover(master);
        assertThat(used(its)).isEqualTo(3);
        assertThat(store.reset(nameOf(its)).toCompletableFuture().get(5, TimeUnit.SECONDS))
                .isTrue();
        assertThat(StoreFixture.taken(store, its, PLENTY)).isZero();
        cluster.awaitWhole();
    }

    private long used(String key) throws Exception {
        return store.inspect(nameOf(key))
                .toCompletableFuture()
                .get(5, TimeUnit.SECONDS)
                .map(CounterState::used)
                .orElse(0L);
    }

    private static CounterName nameOf(String key) {
        return new AwaitableAsk().on(key, PLENTY, 0).checks.get(0).name;
    }

    @Test
    void aHashSlotWithoutANodeFailsItsKeysOnly() {
        String slot = Integer.toString(slotOf(its));
        List<RedisProcess> masters = cluster.masters();
        try (SteadyLoad load = SteadyLoad.on(store, PLENTY, PATIENT, keys)) {
            load.awaitServing(BACK);
            masters.forEach(each -> each.cli("CLUSTER", "DELSLOTS", slot));
            try {
                load.next();
                load.awaitFailure(StoreFailure.UNAVAILABLE);
                load.next();
                awaitFailuresOf(load, List.of(its));
                assertThat(store.health()).allMatch(NodeHealth::serves);
                await().until(() -> store.unserved().endsWith("hash slots without a known node: 1") && !store.serves());
            } finally {
                master.cli("CLUSTER", "ADDSLOTS", slot);
                cluster.awaitWhole();
            }
            load.awaitServing(BACK);
            await().until(() -> store.unserved().isEmpty() && store.serves());
            assertCountedOnce(store, load.end(), keys);
            assertThat(store.stats().errors().get("CLUSTERDOWN")).isPositive();
        }
    }

    /** The announced address is unreachable, as behind a NAT or in containers. */
    @Test
    void aMasterThatSaysItIsWhereNobodyIsFailsItsKeysOnlyUntilItSaysRight() {
        List<String> lost = keysOf(master).limit(2).toList();
        announce("1");
        try (RedisSharedStore late = StoreFixture.open(cluster.uri());
                SteadyLoad load = SteadyLoad.on(late, PLENTY, StoreFixture.DEADLINE, keys)) {
            load.awaitFailure(StoreFailure.UNREACHABLE);
            awaitFailuresOf(load, lost);
            announce("0");
            load.awaitServing(BACK);
            assertCountedOnce(store, load.end(), keys);
        } finally {
            announce("0");
        }
    }

    /** Waits until callers are failed and all of them for these keys: on a busy machine others are late now and then. */
    private static void awaitFailuresOf(SteadyLoad load, List<String> these) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            load.awaitAnswers(300);
            AnswerTally during = load.next();
            return during.failed() > 0
                    && during.failed()
                            == these.stream().mapToLong(during::failed).sum();
        });
    }

    private void announce(String port) {
        master.cli("CONFIG", "SET", "cluster-announce-port", port);
        String said = "127.0.0.1:" + (port.equals("0") ? Integer.toString(master.port()) : port) + "@";
        await().until(() -> cluster.nodes().stream()
                .allMatch(each -> String.valueOf(each.cli("CLUSTER", "NODES")).contains(said)));
    }

    /** Nodes without a configured host name announce "?": then the host that was asked is meant. */
    @Test
    void nodesThatDoNotKnowTheirNamesAreFound() {
        cluster.nodes().forEach(each -> each.cli("CONFIG", "SET", "cluster-preferred-endpoint-type", "hostname"));
        RedisSharedStore late = StoreFixture.open(cluster.uri());
        Stream.of(keys).forEach(key -> StoreFixture.awaitServed(late, key));
        try (late;
                SteadyLoad load = SteadyLoad.on(late, PLENTY, PATIENT, keys)) {
            RedisProcess other = cluster.masters().stream()
                    .filter(each -> each != master)
                    .findFirst()
                    .orElseThrow();
            for (int i = 0; i < 2; i++) {
                cluster.moveSlot(slotOf(its), i == 0 ? other : master);
                load.awaitAnswers(100);
                load.next();
            }
            AnswerTally all = load.end();
            assertThat(late.stats().redirects()).isPositive();
            assertThat(all.failed()).as("%s", all).isZero();
            for (String key : keys) {
                assertThat(StoreFixture.taken(late, key, PLENTY)).as(key).isEqualTo(all.admitted(key));
            }
        } finally {
            cluster.nodes().forEach(each -> each.cli("CONFIG", "SET", "cluster-preferred-endpoint-type", "ip"));
        }
    }

    /** All nodes one after the other, replicas first: no node that was known at the start is there at the end. */
    @Test
    void allNodesAreRestartedOneAfterTheOther() {
        try (SteadyLoad load = SteadyLoad.on(store, PLENTY, StoreFixture.DEADLINE, keys)) {
            load.awaitServing(BACK);
            List<RedisProcess> masters = cluster.masters();
            List<RedisProcess> inTurn = new ArrayList<>(cluster.nodes());
            inTurn.sort(Comparator.comparing(masters::contains));
            for (RedisProcess each : inTurn) {
                each.kill();
                if (Stream.of(keys).anyMatch(key -> cluster.masterOf(slotOf(key)) == each)) {
                    cluster.awaitFailover(each);
                }
                each.restart();
                cluster.awaitWhole();
            }
            load.awaitServing(BACK);
            AnswerTally all = load.end();
            await().until(store::serves);
            for (String key : keys) {
                assertThat(StoreFixture.taken(store, key, PLENTY))
                        .as(key)
                        .isLessThanOrEqualTo(all.admitted(key) + all.failed(key));
            }
        }
    }
}
