package dev.weir.redis.internal.store;

import dev.weir.redis.testkit.RedisProcess;

/** What every store must do, done by one Redis. */
class StandaloneContractTest extends SingleServerContract {
    @Override
    RedisProcess started() {
        return RedisProcess.start();
    }
}
