package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.RedisAddress.HostPort;
import dev.weir.redis.script.BatchScript;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterNodesTest {
    private final EventLoopGroup loops = LettuceParts.ownLoops();
    private final RedisSettings settings = RedisSettings.of("redis-cluster://127.0.0.1:1");
    private final NodeFactory factory =
            new NodeFactory(settings, new RedisStats(), loops, new ScriptCommands(BatchScript.load()));

    @AfterEach
    void close() {
        factory.close(Duration.ofSeconds(2), () -> {
            var unused = loops.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        });
    }

    /** Who serves what was asked before, and is answered after. */
    @Test
    void nobodyIsConnectedToAfterTheEnd() {
        ClusterRoutes routes = new ClusterRoutes(factory, settings, loops.next());
        routes.close();
        routes.take(Map.of(new HostPort("127.0.0.1", 1), new boolean[SlotTable.SLOTS]));
        routes.nobodyThere();
        assertThat(routes.nodes()).isEmpty();
    }
}
