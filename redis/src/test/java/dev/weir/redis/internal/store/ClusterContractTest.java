package dev.weir.redis.internal.store;

import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.StoreContract;
import dev.weir.redis.internal.script.TestClockScript;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisCluster;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract of all stores on a cluster: counters are in different hash slots, so most requests are decided in parts.
 */
class ClusterContractTest extends StoreContract {
    private static RedisCluster cluster;
    private static final RespConnection[] OWNERS = new RespConnection[RedisCluster.SLOTS];
    private static final Map<RedisProcess, RespConnection> CONNECTIONS = new HashMap<>();

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(true);
        cluster.masters().forEach(each -> CONNECTIONS.put(each, connect(each)));
    }

    @AfterAll
    static void stop() {
        CONNECTIONS.values().forEach(RespConnection::close);
        cluster.close();
    }

    @Override
    protected LocalStore newStore() {
        cluster.masters().forEach(each -> each.cli("FLUSHALL"));
        RedisSharedStore store = RedisSharedStore.open(
                RedisSettings.of(cluster.uri()).withDeadline(Duration.ofSeconds(5)), TestClockScript.script());
        AwaitableAsk.awaitServing(store);
        return new BlockingStore(store, ClusterContractTest::owner);
    }

    private static synchronized RespConnection owner(int slot) {
        if (OWNERS[slot] == null) {
            OWNERS[slot] = CONNECTIONS.get(cluster.masterOf(slot));
        }
        return OWNERS[slot];
    }

    private static RespConnection connect(RedisProcess process) {
        try {
            return process.connect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
