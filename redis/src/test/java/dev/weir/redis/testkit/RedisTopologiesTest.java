package dev.weir.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisTopologiesTest {

    @Test
    void aClusterIsFormedMovesSlotsAndReplacesADeadMaster() {
        try (RedisCluster cluster = RedisCluster.start(false)) {
            assertThat(cluster.masters()).hasSize(3);
            // CLUSTER KEYSLOT a
            int slot = 15495;
            RedisProcess first = cluster.masterOf(slot);
            assertThat(first.cli("SET", "a", "1")).isEqualTo("OK");
            RedisProcess other = cluster.masterOf(0);
            assertThat(other).isNotSameAs(first);
            cluster.moveSlot(slot, other);
            assertThat(cluster.masterOf(slot)).isSameAs(other);
            assertThat(other.cli("GET", "a")).isEqualTo("1");
            other.awaitReplica();

            other.kill();
            await().atMost(Duration.ofSeconds(15))
                    .ignoreException(IllegalStateException.class)
                    .until(() -> cluster.masterOf(slot) != other);
            RedisProcess promoted = cluster.masterOf(slot);
            assertThat(promoted.cli("GET", "a")).isEqualTo("1");
            other.restart();
            cluster.awaitWhole();
        }
    }

    @Test
    void sentinelsReplaceADeadMaster() {
        try (SentinelSet set = SentinelSet.start()) {
            RedisProcess master = set.master();
            assertThat(master.cli("SET", "a", "1")).isEqualTo("OK");
            master.awaitReplica();
            master.kill();
            await().atMost(Duration.ofSeconds(15)).until(() -> set.master() != master);
            assertThat(set.master().cli("GET", "a")).isEqualTo("1");
        }
    }
}
