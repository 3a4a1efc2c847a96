package dev.weir.redis.internal.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.internal.connection.ClusterRedirect;
import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.connection.ScriptCommands;
import dev.weir.redis.internal.node.RedisNode;
import dev.weir.redis.internal.node.RedisNodeFactory;
import dev.weir.redis.internal.node.RedisStats;
import dev.weir.redis.internal.script.BatchScript;
import dev.weir.redis.internal.script.RedisKeyPrefix;
import dev.weir.redis.internal.settings.RedisAddress.HostPort;
import dev.weir.redis.internal.settings.RedisSettings;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClusterNodesTest {
    private final EventLoopGroup loops = LettuceSetup.ownLoops();
    private final RedisSettings settings = RedisSettings.of("redis-cluster://127.0.0.1:1");
    private final RedisNodeFactory factory = new RedisNodeFactory(
            settings, new RedisStats(), loops, new ScriptCommands(BatchScript.load(), new RedisKeyPrefix("")));

    @AfterEach
    void close() {
        factory.close(Duration.ofSeconds(2), () -> {
            var unused = loops.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        });
    }

    /** A node that was just added: its keys migrate one by one, and each is asked for there. */
    @Test
    void aMigrationTargetWithoutHashSlotsIsKept() {
        ClusterRoutes routes = new ClusterRoutes(factory, settings, loops.next());
        boolean[] all = new boolean[HashSlotTable.SLOTS];
        Arrays.fill(all, true);
        routes.update(Map.of(new HostPort("127.0.0.1", 1), all));
        ClusterRedirect ask = new ClusterRedirect(true, 5, "127.0.0.1", 2);
        RedisNode from = routes.nodes().get(0);
        RedisNode target = routes.redirected(ask, from);
        assertThat(target).isNotNull().isNotSameAs(from);
        routes.update(Map.of(new HostPort("127.0.0.1", 1), all));
        assertThat(routes.redirected(ask, from)).isSameAs(target);
        assertThat(routes.node(5)).isSameAs(from);
        routes.close();
    }

    @Test
    void theEndIsWhenAllConnectionsAreClosed() throws Exception {
        ClusterRoutes routes = new ClusterRoutes(factory, settings, loops.next());
        routes.noneReachable();
        RedisNode node = routes.nodes().get(0);
        routes.close();
        CompletableFuture<String> atTheEnd = new CompletableFuture<>();
        factory.close(
                Duration.ofSeconds(20), () -> atTheEnd.complete(node.health().reason()));
        assertThat(atTheEnd.get(30, TimeUnit.SECONDS)).isEqualTo("closed");
    }

    /** The map was requested before the close and arrives after it. */
    @Test
    void noConnectionIsOpenedAfterClose() {
        ClusterRoutes routes = new ClusterRoutes(factory, settings, loops.next());
        routes.close();
        routes.update(Map.of(new HostPort("127.0.0.1", 1), new boolean[HashSlotTable.SLOTS]));
        routes.noneReachable();
        assertThat(routes.nodes()).isEmpty();
    }
}
