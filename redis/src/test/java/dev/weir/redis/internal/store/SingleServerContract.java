package dev.weir.redis.internal.store;

import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.StoreContract;
import dev.weir.redis.internal.script.TestClockScript;
import dev.weir.redis.internal.settings.RedisSettings;
import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.RespConnection;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The contract of all stores on one server of any make. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class SingleServerContract extends StoreContract {
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
    protected LocalStore newStore() {
        server.cli("FLUSHALL");
        RedisSharedStore store = RedisSharedStore.open(
                RedisSettings.of(server.uri()).withDeadline(Duration.ofSeconds(5)), TestClockScript.script());
        AwaitableAsk.awaitServing(store);
        return new BlockingStore(store, slot -> connection);
    }
}
