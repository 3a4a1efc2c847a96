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
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** What every store must do, done by one server, of whichever make. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class OneServerContract extends StoreContract {
    private RedisProcess server;
    private RespConnection connection;

    /** Starts it, or skips the tests where the machine cannot. */
    abstract RedisProcess started();

    @BeforeAll
    void start() throws IOException {
        server = started();
        connection = server.connect();
    }

    @AfterAll
    void stop() {
        if (server != null) {
            connection.close();
            server.stop();
        }
    }

    RedisProcess server() {
        return server;
    }

    @Override
    protected Store newStore() {
        server.cli("FLUSHALL");
        RedisStore store =
                RedisStore.open(RedisSettings.of(server.uri()).withDeadline(Duration.ofSeconds(5)), ToldTime.script());
        Asking.awaitServing(store);
        return new BlockingStore(store, slot -> connection);
    }
}
