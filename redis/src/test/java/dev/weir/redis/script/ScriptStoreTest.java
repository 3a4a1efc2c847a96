package dev.weir.redis.script;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.store.Store;
import dev.weir.store.StoreContract;
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
    protected Store newStore() {
        return script;
    }
}
