package dev.weir.redis.internal.store;

import dev.weir.redis.testkit.RedisProcess;

/** The contract of all stores on one Redis. */
class StandaloneContractTest extends SingleServerContract {
    @Override
    RedisProcess started() {
        return RedisProcess.start();
    }
}
