package dev.weir.redis.internal.routing;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.connection.ClusterRedirect;
import dev.weir.redis.internal.connection.RedisError;
import dev.weir.redis.internal.node.RedisNode;
import dev.weir.redis.internal.node.RedisNodeFactory;
import dev.weir.redis.internal.script.RedisKey;
import dev.weir.redis.internal.settings.RedisAddress.HostPort;
import dev.weir.redis.internal.settings.RedisSettings;
import io.netty.channel.EventLoop;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a cluster, each with batchers and a breaker of its own.
 *
 * <h2>Map of hash slots</h2>
 *
 * {@link HashSlotRefresh} reads the map from the cluster, periodically and when it may be out of date: a connection was
 * lost, a breaker opened, or a node replied READONLY, CLUSTERDOWN or MOVED. {@code MOVED} sets its hash slot at once. A
 * node that serves no hash slot any more is closed.
 *
 * <h2>Concurrency</h2>
 *
 * Any thread reads the map. One event loop writes it, except for the hash slots that {@code MOVED} sets. The cluster's
 * next map overwrites those.
 */
public final class ClusterRoutes implements RedisRoutes, RedisNode.Topology, HashSlotRefresh.Cluster {
    private static final System.Logger LOG = System.getLogger(ClusterRoutes.class.getName());

    private final EventLoop loop;
    private final ClusterNodes nodes;
    private final AtomicReferenceArray<@Nullable RedisNode> owners = new AtomicReferenceArray<>(HashSlotTable.SLOTS);

    private final HashSlotRefresh refresh;
    /** The number of hash slots that no node serves, by the cluster's last map. */
    private volatile int unserved = HashSlotTable.SLOTS;

    public ClusterRoutes(RedisNodeFactory factory, RedisSettings settings, EventLoop loop) {
        this.loop = loop;
        this.nodes = new ClusterNodes(factory, settings, this, loop);
        this.refresh = new HashSlotRefresh(this, loop);
    }

    @Override
    public boolean hasHashSlots() {
        return true;
    }

    @Override
    public @Nullable RedisNode node(int slot) {
        return owners.get(slot);
    }

    @Override
    public boolean serves() {
        RedisNode last = null;
        for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
            RedisNode node = owners.get(slot);
            if (node == null || (node != last && !node.health().serves())) {
                return false;
            }
            last = node;
        }
        return unserved == 0;
    }

    @Override
    public String unserved() {
        int missing = unserved;
        if (missing == 0) {
            return "";
        }
        RedisError error = refresh.lastError();
        return error == null ? "hash slots without a known node: " + missing : error.toString();
    }

    @Override
    public StoreFailure failure() {
        for (RedisNode each : nodes()) {
            StoreFailure down = each.health().down();
            if (down == StoreFailure.REFUSED) {
                return down;
            }
        }
        RedisError error = refresh.lastError();
        return error == null ? StoreFailure.UNREACHABLE : error.failure();
    }

    @Override
    public List<RedisNode> nodes() {
        return List.copyOf(nodes.known().values());
    }

    @Override
    public void warmingUp(boolean now) {
        nodes.warmingUp(now);
    }

    @Override
    public void open() {
        loop.execute(() -> {
            nodes.connectToSeeds();
            refresh.begin();
        });
    }

    @Override
    public void close() {
        refresh.close();
        nodes.close();
    }

    @Override
    public long probeSubject(RedisNode node) {
        int tries = servesAny(node) ? HashSlotTable.SLOTS * 8 : 0;
        for (int i = 0; i < tries; i++) {
            long subject = ThreadLocalRandom.current().nextLong();
            if (owners.get(RedisKey.slot(subject)) == node) {
                return subject;
            }
        }
        return 0; // it serves no hash slot, so the result of the probe does not matter
    }

    @Override
    public @Nullable RedisNode redirected(ClusterRedirect redirect, RedisNode from) {
        String host = HashSlotTable.isUnknown(redirect.host()) ? nodes.hostOf(from) : redirect.host();
        if (host.isEmpty() || redirect.slot() < 0 || redirect.slot() >= HashSlotTable.SLOTS) {
            return null;
        }
        HostPort server = new HostPort(host, redirect.port());
        if (redirect.ask()) {
            return nodes.migrationTarget(server);
        }
        RedisNode target = nodes.at(server);
        if (target != null) {
            owners.set(redirect.slot(), target);
            changed();
        }
        return target;
    }

    @Override
    public void changed() {
        refresh.refreshSoon();
    }

    @Override
    public Map<HostPort, RedisNode> known() {
        return nodes.known();
    }

    @Override
    public void noneReachable() {
        nodes.connectToSeeds(); // the known nodes may be gone for good
    }

    @Override
    public boolean update(Map<HostPort, boolean[]> table) {
        boolean complete = true;
        boolean changed = false;
        int missing = 0;
        RedisNode[] next = new RedisNode[HashSlotTable.SLOTS];
        for (Map.Entry<HostPort, boolean[]> each : table.entrySet()) {
            RedisNode node = nodes.at(each.getKey());
            if (node == null) {
                return false;
            }
            complete &= node.health().serves();
            for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
                next[slot] = each.getValue()[slot] ? node : next[slot];
            }
        }
        for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
            RedisNode owner = next[slot];
            missing += owner == null ? 1 : 0;
            // A hash slot without a node stays with its last node, whose failure is then reported.
            if (owner != null && owners.getAndSet(slot, owner) != owner) {
                changed = true;
            }
        }
        unserved = missing;
        if (changed) {
            LOG.log(Level.DEBUG, "redis cluster: " + table.keySet() + " serve its hash slots");
            nodes().forEach(RedisNode::probeNow);
        }
        nodes.retire((server, node) -> !table.containsKey(server) && !servesAny(node));
        return complete && missing == 0;
    }

    private boolean servesAny(RedisNode node) {
        for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
            if (owners.get(slot) == node) {
                return true;
            }
        }
        return false;
    }
}
