package dev.weir.redis;

import dev.weir.redis.script.ToldTime;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.RespConnection;
import dev.weir.store.Store;
import dev.weir.store.StoreContract;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** What every store must do, done by one Redis. */
class StandaloneContractTest extends StoreContract {
    private static RedisProcess redis;
    private static RespConnection connection;

    @BeforeAll
    static void start() throws IOException {
        redis = RedisProcess.start();
        connection = redis.connect();
    }

    @AfterAll
    static void stop() {
        connection.close();
        redis.stop();
    }

    @Override
    protected Store newStore() {
        redis.cli("FLUSHALL");
        RedisStore store =
                RedisStore.open(RedisSettings.of(redis.uri()).withDeadline(Duration.ofSeconds(5)), ToldTime.script());
        return new BlockingStore(store, slot -> connection);
    }
}
