package dev.weir.redis;

import static dev.weir.redis.Faults.PLENTY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A replica is told to be the master, on a cluster where nobody voted before: whoever did lately does not vote again. */
class OrderedFailoverTest extends ClusterUnderFaults {
    private static final Duration PATIENT = Duration.ofSeconds(3);
    private static final Duration BACK = Duration.ofSeconds(8);

    @Test
    void aReplicaThatIsToldToTakeOverLosesNothingAndNobodyIsFailed() {
        String[] keys = cluster.masters().stream()
                .flatMap(each -> keysOf(each).limit(2))
                .toArray(String[]::new);
        try (RedisStore store = Faults.open(cluster.uri())) {
            Stream.of(keys).forEach(key -> Faults.awaitServed(store, key));
            overAndBack(store, keys);
        }
    }

    private static void overAndBack(RedisStore store, String... keys) {
        try (Load load = Load.on(store, PLENTY, PATIENT, keys)) {
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
            Tally all = load.end();
            assertThat(all.failed()).as("%s", all).isZero();
            assertThat(store.stats().noScript()).as("replicas have no scripts").isGreaterThan(noScript);
            for (String key : keys) {
                assertThat(Faults.taken(store, key, PLENTY)).as(key).isEqualTo(all.admitted(key));
            }
        }
    }
}
