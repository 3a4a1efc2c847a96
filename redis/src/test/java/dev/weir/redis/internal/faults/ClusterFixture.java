package dev.weir.redis.internal.faults;

import dev.weir.redis.internal.store.StoreFixture;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import io.lettuce.core.cluster.SlotHash;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** One cluster for all tests of a class, and which of its keys are whose. */
abstract class ClusterFixture {
    static RedisCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = RedisCluster.start(false);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    static int slotOf(String key) {
        return SlotHash.getSlot(StoreFixture.redisKey(key));
    }

    /** Keys whose slots are {@code master}'s, without end. */
    static Stream<String> keysOf(RedisProcess master) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "key" + i)
                .filter(key -> cluster.masterOf(slotOf(key)) == master);
    }
}
