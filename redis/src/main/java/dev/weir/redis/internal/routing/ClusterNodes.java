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

/** The servers of a cluster that are known, by where they are. Each is connected to once; any thread may ask for it. */
final class ClusterNodes {
    private static final long FAREWELL_MILLIS = 5_000;
    private static final long ASKED_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final RedisNodeFactory factory;
    private final RedisSettings settings;
    private final RedisNode.Neighbours neighbours;
    private final EventLoop loop;
    private final Map<HostPort, RedisNode> nodes = new ConcurrentHashMap<>();
    /** When {@code ASK} last pointed there. */
    private final Map<HostPort, Long> asked = new ConcurrentHashMap<>();

    private boolean warming;
    private boolean closed;

    ClusterNodes(RedisNodeFactory factory, RedisSettings settings, RedisNode.Neighbours neighbours, EventLoop loop) {
        this.factory = factory;
        this.settings = settings;
        this.neighbours = neighbours;
        this.loop = loop;
    }

    Map<HostPort, RedisNode> known() {
        return nodes;
    }

    /** The server there, which is connected to if it was not known; null if all is closed. */
    @Nullable
    RedisNode at(HostPort server) {
        RedisNode known = nodes.get(server);
        return known == null ? meet(server) : known;
    }

    /** The same for a server that keys move to: it may serve no slot yet, and is wanted for each of these keys. */
    @Nullable
    RedisNode atMoving(HostPort server) {
        asked.put(server, System.nanoTime());
        return at(server);
    }

    private synchronized @Nullable RedisNode meet(HostPort server) {
        RedisNode known = nodes.get(server);
        if (known != null || closed) {
            return known;
        }
        RedisNode made = factory.node(server.toString(), LettuceSetup.uri(settings, server), neighbours);
        made.warming(warming);
        nodes.put(server, made);
        made.open();
        return made;
    }

    /** Connects to those that the address names. */
    void meetFirst() {
        settings.address().hosts().forEach(this::at);
    }

    /** Where {@code node} is; empty if it is not known any more. */
    String hostOf(RedisNode node) {
        for (Map.Entry<HostPort, RedisNode> each : nodes.entrySet()) {
            if (each.getValue() == node) {
                return each.getKey().host();
            }
        }
        return "";
    }

    synchronized void warming(boolean now) {
        warming = now;
        nodes.values().forEach(node -> node.warming(now));
    }

    /** Parts with those that are {@code idle}. What is still under way there may be answered. */
    void dismiss(BiPredicate<HostPort, RedisNode> idle) {
        long now = System.nanoTime();
        asked.values().removeIf(last -> now - last > ASKED_NANOS);
        nodes.entrySet().removeIf(each -> {
            RedisNode node = each.getValue();
            boolean leaves = !asked.containsKey(each.getKey()) && idle.test(each.getKey(), node);
            if (leaves) {
                node.dismiss();
                var unused = loop.schedule(() -> factory.close(node), FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
            }
            return leaves;
        });
    }

    synchronized void close() {
        closed = true;
        nodes.values().forEach(RedisNode::dismiss);
    }
}
