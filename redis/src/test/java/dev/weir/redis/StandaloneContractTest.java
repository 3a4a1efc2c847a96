package dev.weir.redis;

import dev.weir.redis.testkit.RedisProcess;

/** What every store must do, done by one Redis. */
class StandaloneContractTest extends OneServerContract {
    @Override
    RedisProcess started() {
        return RedisProcess.start();
    }
}
