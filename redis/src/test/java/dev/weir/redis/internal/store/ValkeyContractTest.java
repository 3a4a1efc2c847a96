package dev.weir.redis.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.testkit.RedisProcess;
import org.junit.jupiter.api.Test;

/** The contract of all stores on Valkey. */
class ValkeyContractTest extends SingleServerContract {
    @Override
    RedisProcess started() {
        return RedisProcess.startValkey();
    }

    @Test
    void itIsValkey() {
        assertThat(server().info("server", "server_name")).isEqualTo("valkey");
    }
}
