package dev.weir.redis.internal.script;

import dev.weir.internal.store.LocalStore;
import dev.weir.internal.store.StoreContract;
import dev.weir.redis.testkit.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ScriptStoreTest extends StoreContract {
    private static RedisProcess redis;
    private static ScriptStore script;

    @BeforeAll
    static void startRedis() {
        redis = RedisProcess.start();
        script = new ScriptStore(redis);
    }

    @AfterAll
    static void stopRedis() {
        script.shutDown();
        redis.stop();
    }

    @Override
    protected LocalStore newStore() {
        return script;
    }
}
