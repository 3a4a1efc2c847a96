package dev.weir.redis.internal.routing;

import dev.weir.redis.internal.connection.LettuceSetup;
import dev.weir.redis.internal.node.RedisNode;
import dev.weir.redis.internal.node.RedisNodeFactory;
import dev.weir.redis.internal.settings.RedisAddress.HostPort;
import dev.weir.redis.internal.settings.RedisSettings;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** The known servers of a cluster, by address. Each is connected to once. Any thread may call this. */
final class ClusterNodes {
    private static final long CLOSE_DELAY_MILLIS = 5_000;
    private static final long MIGRATION_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final RedisNodeFactory factory;
    private final RedisSettings settings;
    private final RedisNode.Topology topology;
    private final EventLoop loop;
    private final Map<HostPort, RedisNode> nodes = new ConcurrentHashMap<>();
    /** The time at which {@code ASK} last pointed to a server. */
    private final Map<HostPort, Long> migrationTargets = new ConcurrentHashMap<>();

    private boolean warmingUp;
    private boolean closed;

    ClusterNodes(RedisNodeFactory factory, RedisSettings settings, RedisNode.Topology topology, EventLoop loop) {
        this.factory = factory;
        this.settings = settings;
        this.topology = topology;
        this.loop = loop;
    }

    Map<HostPort, RedisNode> known() {
        return nodes;
    }

    /** Returns the node at an address, and connects to it if it is unknown; null after {@link #close}. */
    @Nullable
    RedisNode at(HostPort server) {
        RedisNode known = nodes.get(server);
        return known == null ? connect(server) : known;
    }

    /** Returns the node that keys migrate to. It may serve no hash slot yet, but every {@code ASK} needs it. */
    @Nullable
    RedisNode migrationTarget(HostPort server) {
        migrationTargets.put(server, System.nanoTime());
        return at(server);
    }

    private synchronized @Nullable RedisNode connect(HostPort server) {
        RedisNode known = nodes.get(server);
        if (known != null || closed) {
            return known;
        }
        RedisNode created = factory.node(server.toString(), LettuceSetup.uri(settings, server), topology);
        created.warmingUp(warmingUp);
        nodes.put(server, created);
        created.open();
        return created;
    }

    /** Connects to the servers in the configured address. */
    void connectToSeeds() {
        settings.address().hosts().forEach(this::at);
    }

    /** Returns the host of {@code node}; empty if it is not known any more. */
    String hostOf(RedisNode node) {
        for (Map.Entry<HostPort, RedisNode> each : nodes.entrySet()) {
            if (each.getValue() == node) {
                return each.getKey().host();
            }
        }
        return "";
    }

    synchronized void warmingUp(boolean now) {
        warmingUp = now;
        nodes.values().forEach(node -> node.warmingUp(now));
    }

    /**
     * Removes the nodes that are {@code idle}. Their connections close later, so that commands in flight may be
     * answered.
     */
    void retire(BiPredicate<HostPort, RedisNode> idle) {
        long now = System.nanoTime();
        migrationTargets.values().removeIf(last -> now - last > MIGRATION_NANOS);
        nodes.entrySet().removeIf(each -> {
            RedisNode node = each.getValue();
            boolean removed = !migrationTargets.containsKey(each.getKey()) && idle.test(each.getKey(), node);
            if (removed) {
                node.retire();
                var unused = loop.schedule(() -> factory.close(node), CLOSE_DELAY_MILLIS, TimeUnit.MILLISECONDS);
            }
            return removed;
        });
    }

    synchronized void close() {
        closed = true;
        nodes.values().forEach(RedisNode::retire);
    }
}
