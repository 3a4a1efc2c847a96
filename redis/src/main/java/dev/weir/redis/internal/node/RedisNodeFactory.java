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

/** Makes nodes of one store. Each lane has an event loop, and a Lettuce client of its own that knows no other. */
public final class RedisNodeFactory {
    private final RedisSettings settings;
    private final RedisStats stats;
    private final EventLoopGroup loops;
    private final ClientResources resources;
    private final ScriptCommands commands;
    private final EvictionWatch eviction = new EvictionWatch();
    private final Queue<ReconnectingConnection> lines = new ConcurrentLinkedQueue<>();

    public RedisNodeFactory(RedisSettings settings, RedisStats stats, EventLoopGroup loops, ScriptCommands commands) {
        this.settings = settings;
        this.stats = stats;
        this.loops = loops;
        this.commands = commands;
        this.resources = LettuceSetup.resources(loops);
    }

    /** Closes the connections of one node that was dismissed. */
    public void close(RedisNode node) {
        for (ReconnectingConnection line : node.lines()) {
            lines.remove(line);
            var unused = line.close();
        }
    }

    public RedisNode node(String name, RedisURI uri, RedisNode.Neighbours neighbours) {
        ReconnectingConnection.Factory[] lines = new ReconnectingConnection.Factory[settings.connections()];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = user -> line(uri, user);
        }
        return new RedisNode(name, settings, lines, commands, stats, eviction, neighbours);
    }

    private ReconnectingConnection line(RedisURI uri, ReconnectingConnection.User user) {
        EventLoop loop = loops.next();
        RedisClient client = RedisClient.create(LettuceSetup.inLoop(resources, loop));
        ReconnectingConnection line = new ReconnectingConnection(
                loop, client, () -> LettuceSetup.options(settings), uri, settings.connectTimeout(), user);
        lines.add(line);
        return line;
    }

    /** Closes all connections, in the background, then does {@code last}; no later than {@code patience}. */
    public void close(Duration patience, Runnable last) {
        CompletableFuture<?>[] closing =
                lines.stream().map(ReconnectingConnection::close).toArray(CompletableFuture[]::new);
        var unused = CompletableFuture.allOf(closing)
                .completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((done, failed) -> {
                    LettuceSetup.shutDown(resources);
                    last.run();
                });
    }
}
