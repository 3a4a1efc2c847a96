package dev.weir.redis.internal.faults;

import static dev.weir.redis.internal.store.StoreFixture.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.internal.store.AnswerTally;
import dev.weir.redis.internal.store.RedisSharedStore;
import dev.weir.redis.internal.store.SteadyLoad;
import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An operator promotes a replica, on a cluster without recent votes: nodes that voted recently do not vote again. */
class OrderedFailoverTest extends ClusterFixture {
    private static final Duration PATIENT = Duration.ofSeconds(3);
    private static final Duration BACK = Duration.ofSeconds(8);

    @Test
    void aReplicaThatIsToldToTakeOverLosesNothingAndNobodyIsFailed() {
        String[] keys = cluster.masters().stream()
                .flatMap(each -> keysOf(each).limit(2))
                .toArray(String[]::new);
        try (RedisSharedStore store = StoreFixture.open(cluster.uri())) {
            Stream.of(keys).forEach(key -> StoreFixture.awaitServed(store, key));
            overAndBack(store, keys);
        }
    }

    private static void overAndBack(RedisSharedStore store, String... keys) {
        try (SteadyLoad load = SteadyLoad.on(store, PLENTY, PATIENT, keys)) {
            load.awaitServing(BACK);
            long noScript = store.stats().noScript();
            // There and back; the others do not vote for the same one a third time within seconds.
            for (int i = 0; i < 2; i++) {
                RedisProcess old = cluster.masterOf(0);
                cluster.replicaOf(old).cli("CLUSTER", "FAILOVER");
                cluster.awaitFailover(old);
                load.awaitAnswers(100);
                load.next();
                cluster.awaitWhole();
            }
            AnswerTally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            assertThat(store.stats().noScript()).as("replicas have no scripts").isGreaterThan(noScript);
            for (String key : keys) {
                assertThat(StoreFixture.taken(store, key, PLENTY)).as(key).isEqualTo(all.admitted(key));
            }
        }
    }
}
