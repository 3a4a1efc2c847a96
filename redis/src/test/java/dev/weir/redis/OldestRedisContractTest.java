package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.testkit.Outside;
import org.junit.jupiter.api.Test;

/** What every store must do, done by the oldest Redis that is supported. */
class OldestRedisContractTest extends OneServerContract {
    @Override
    RedisProcess started() {
        if (!RedisProcess.runsOldest()) {
            Outside.missing("Redis 6.2 does not run here (it needs OpenSSL 3)");
        }
        return RedisProcess.startOldest();
    }

    @Test
    void itIsThatOld() {
        assertThat(server().info("server", "redis_version")).startsWith("6.2.");
    }
}
