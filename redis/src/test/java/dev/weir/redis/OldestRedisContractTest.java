package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.redis.script.ToldTime;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.RespConnection;
import dev.weir.store.Store;
import dev.weir.store.StoreContract;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What every store must do, done by the oldest Redis that is supported. */
class OldestRedisContractTest extends StoreContract {
    private static RedisProcess redis;
    private static RespConnection connection;

    @BeforeAll
    static void start() throws IOException {
        boolean runs = RedisProcess.runsOldest();
        assumeTrue(runs || System.getProperty("weir.all") != null, "Redis 6.2 does not run here (it needs OpenSSL 3)");
        redis = RedisProcess.startOldest();
        connection = redis.connect();
    }

    @AfterAll
    static void stop() {
        if (redis != null) {
            connection.close();
            redis.stop();
        }
    }

    @Test
    void itIsThatOld() {
        assertThat(redis.info("server", "redis_version")).startsWith("6.2.");
    }

    @Override
    protected Store newStore() {
        redis.cli("FLUSHALL");
        RedisStore store =
                RedisStore.open(RedisSettings.of(redis.uri()).withDeadline(Duration.ofSeconds(5)), ToldTime.script());
        return new BlockingStore(store, slot -> connection);
    }
}
