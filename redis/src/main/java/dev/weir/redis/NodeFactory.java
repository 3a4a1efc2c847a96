package dev.weir.redis;

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
final class NodeFactory {
    private final RedisSettings settings;
    private final RedisStats stats;
    private final EventLoopGroup loops;
    private final ClientResources resources;
    private final ScriptCommands commands;
    private final EvictionWatch eviction = new EvictionWatch();
    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

    NodeFactory(RedisSettings settings, RedisStats stats, EventLoopGroup loops, ScriptCommands commands) {
        this.settings = settings;
        this.stats = stats;
        this.loops = loops;
        this.commands = commands;
        this.resources = LettuceParts.resources(loops);
    }

    /** Closes the connections of one node that was dismissed. */
    void close(Node node) {
        for (Line line : node.lines()) {
            lines.remove(line);
            var unused = line.close();
        }
    }

    Node node(String name, RedisURI uri, Node.Neighbours neighbours) {
        Line.Factory[] lines = new Line.Factory[settings.connections()];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = user -> line(uri, user);
        }
        return new Node(name, settings, lines, commands, stats, eviction, neighbours);
    }

    private Line line(RedisURI uri, Line.User user) {
        EventLoop loop = loops.next();
        RedisClient client = RedisClient.create(LettuceParts.inLoop(resources, loop));
        Line line = new Line(loop, client, () -> LettuceParts.options(settings), uri, settings.connectTimeout(), user);
        lines.add(line);
        return line;
    }

    /** Closes all connections, in the background, then does {@code last}; no later than {@code patience}. */
    void close(Duration patience, Runnable last) {
        CompletableFuture<?>[] closing = lines.stream().map(Line::close).toArray(CompletableFuture[]::new);
        var unused = CompletableFuture.allOf(closing)
                .completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((done, failed) -> {
                    LettuceParts.shutDown(resources);
                    last.run();
                });
    }
}
