package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.testkit.ExternalPrograms;
import org.junit.jupiter.api.Test;

/** The contract of all stores on the oldest supported Redis. */
class OldestRedisContractTest extends SingleServerContract {
    @Override
    RedisProcess started() {
        if (!RedisProcess.runsOldest()) {
            ExternalPrograms.missing("Redis 6.2 does not run here (it needs OpenSSL 3)");
        }
        return RedisProcess.startOldest();
    }

    @Test
    void itIsThatOld() {
        assertThat(server().info("server", "redis_version")).startsWith("6.2.");
    }
}
