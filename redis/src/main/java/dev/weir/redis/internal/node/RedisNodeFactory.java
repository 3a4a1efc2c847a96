package dev.weir.redis.internal.node;

import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import dev.weir.redis.internal.connection.ScriptCommands;
import dev.weir.redis.internal.settings.RedisSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Creates the nodes of one store. Each connection has one event loop, and a Lettuce client of its own. */
public final class RedisNodeFactory {
    private final RedisSettings settings;
    private final RedisStats stats;
    private final EventLoopGroup loops;
    private final ClientResources resources;
    private final ScriptCommands commands;
    private final EvictionWatch eviction = new EvictionWatch();
    private final Queue<ReconnectingConnection> connections = new ConcurrentLinkedQueue<>();

    public RedisNodeFactory(RedisSettings settings, RedisStats stats, EventLoopGroup loops, ScriptCommands commands) {
        this.settings = settings;
        this.stats = stats;
        this.loops = loops;
        this.commands = commands;
        this.resources = LettuceSetup.resources(loops);
    }

    /** Closes the connections of one retired node. */
    public void close(RedisNode node) {
        for (ReconnectingConnection connection : node.connections()) {
            connections.remove(connection);
            var unused = connection.close();
        }
    }

    public RedisNode node(String name, RedisURI uri, RedisNode.Topology topology) {
        ReconnectingConnection.Factory[] factories = new ReconnectingConnection.Factory[settings.connections()];
        for (int i = 0; i < factories.length; i++) {
            factories[i] = listener -> connection(uri, listener);
        }
        return new RedisNode(name, settings, factories, commands, stats, eviction, topology);
    }

    private ReconnectingConnection connection(RedisURI uri, ReconnectingConnection.Listener listener) {
        EventLoop loop = loops.next();
        RedisClient client = RedisClient.create(LettuceSetup.inLoop(resources, loop));
        ReconnectingConnection connection = new ReconnectingConnection(
                loop, client, () -> LettuceSetup.options(settings), uri, settings.connectTimeout(), listener);
        connections.add(connection);
        return connection;
    }

    /** Closes all connections in the background, then runs {@code last}; after {@code timeout} at the latest. */
    public void close(Duration timeout, Runnable last) {
        CompletableFuture<?>[] closing =
                connections.stream().map(ReconnectingConnection::close).toArray(CompletableFuture[]::new);
        var unused = CompletableFuture.allOf(closing)
                .completeOnTimeout(null, timeout.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((done, failed) -> {
                    LettuceSetup.shutDown(resources);
                    last.run();
                });
    }
}
