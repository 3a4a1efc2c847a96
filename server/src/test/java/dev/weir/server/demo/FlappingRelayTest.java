package dev.weir.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.redis.testkit.RedisProcess;
import dev.weir.redis.testkit.RespConnection;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FlappingRelayTest {
    @Test
    void aRedisIsReachableThenNotThenReachableAgain() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                FlappingRelay relay = FlappingRelay.before(
                        "127.0.0.1", redis.port(), Duration.ofMillis(300), Duration.ofMillis(300))) {
            int port = URI.create(relay.uri()).getPort();
            await().until(() -> answers(port));
            await().until(() -> !answers(port));
            await().until(() -> answers(port));
            assertThat(redis.cli("PING")).isEqualTo("PONG");
        }
    }

    private static boolean answers(int port) {
        try (RespConnection connection = new RespConnection(port, 1_000)) {
            return "PONG".equals(connection.call("PING"));
        } catch (IOException e) {
            return false;
        }
    }
}
