package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.node.NodeHealth;
import dev.weir.redis.testkit.RedisProcess;
import org.junit.jupiter.api.Test;

/** Servers that are addressed as a cluster, are reachable, and have no map of hash slots. */
class NoClusterTest {
    @Test
    void aServerThatIsNoCluster() {
        assertTold(
                StoreFailure.UNAVAILABLE,
                "unavailable (CLUSTER SLOTS: ERR This instance has cluster support disabled)");
    }

    @Test
    void aClusterWithoutHashSlots() {
        assertTold(
                StoreFailure.UNAVAILABLE,
                "unavailable (CLUSTER SLOTS: no node serves any hash slot)",
                "cluster-enabled yes");
    }

    @Test
    void aUserThatMayNotAsk() {
        assertTold(
                StoreFailure.REFUSED,
                "refused (CLUSTER SLOTS: NOPERM",
                "cluster-enabled yes",
                "user weir on >secret ~* +@all -cluster|slots");
    }

    private static void assertTold(StoreFailure failure, String why, String... settings) {
        String user = settings.length > 1 ? "weir:secret@" : "";
        try (RedisProcess redis = RedisProcess.start(settings);
                RedisSharedStore store = StoreFixture.open("redis-cluster://" + user + redis.address())) {
            await().untilAsserted(() -> assertThat(store.unserved()).startsWith(why));
            assertThat(store.health()).isNotEmpty().allMatch(NodeHealth::serves);
            assertThat(store.serves()).isFalse();
            assertThat(StoreFixture.ask(store, "a", StoreFixture.PLENTY, 1).failure)
                    .isEqualTo(failure);
        }
    }
}
