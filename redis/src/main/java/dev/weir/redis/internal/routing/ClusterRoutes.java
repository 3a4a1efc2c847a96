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
 * The masters of a cluster, each with lanes and a breaker of its own.
 *
 * <h2>Who serves what</h2>
 *
 * What the cluster says when it is asked ({@link HashSlotRefresh}), which it is also when there is reason to doubt: a connection was
 * lost, a breaker opened, a node said READONLY, CLUSTERDOWN or MOVED. {@code MOVED} sets its slot at once. A node that serves nothing
 * any more is parted with.
 *
 * <h2>Concurrency</h2>
 *
 * Slots are read by any thread and written in one event loop, but for those that {@code MOVED} sets; the last word has the table.
 */
public final class ClusterRoutes implements RedisRoutes, RedisNode.Neighbours, HashSlotRefresh.Cluster {
    private static final System.Logger LOG = System.getLogger(ClusterRoutes.class.getName());

    private final EventLoop loop;
    private final ClusterNodes nodes;
    private final AtomicReferenceArray<@Nullable RedisNode> slots = new AtomicReferenceArray<>(HashSlotTable.SLOTS);

    private final HashSlotRefresh inquiry;
    /** Slots that nobody serves, as the cluster said last. */
    private volatile int unserved = HashSlotTable.SLOTS;

    public ClusterRoutes(RedisNodeFactory factory, RedisSettings settings, EventLoop loop) {
        this.loop = loop;
        this.nodes = new ClusterNodes(factory, settings, this, loop);
        this.inquiry = new HashSlotRefresh(this, loop);
    }

    @Override
    public boolean bySlot() {
        return true;
    }

    @Override
    public @Nullable RedisNode node(int slot) {
        return slots.get(slot);
    }

    @Override
    public boolean serves() {
        RedisNode last = null;
        for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
            RedisNode node = slots.get(slot);
            if (node == null || (node != last && !node.health().serves())) {
                return false;
            }
            last = node;
        }
        return unserved == 0;
    }

    @Override
    public String unserved() {
        int nobodys = unserved;
        if (nobodys == 0) {
            return "";
        }
        RedisError said = inquiry.complaint();
        return said == null ? "slots that nobody is known to serve: " + nobodys : said.toString();
    }

    @Override
    public StoreFailure failure() {
        for (RedisNode each : nodes()) {
            StoreFailure down = each.health().down();
            if (down == StoreFailure.REFUSED) {
                return down;
            }
        }
        RedisError said = inquiry.complaint();
        return said == null ? StoreFailure.UNREACHABLE : said.failure();
    }

    @Override
    public List<RedisNode> nodes() {
        return List.copyOf(nodes.known().values());
    }

    @Override
    public void warming(boolean now) {
        nodes.warming(now);
    }

    @Override
    public void open() {
        loop.execute(() -> {
            nodes.meetFirst();
            inquiry.begin();
        });
    }

    @Override
    public void close() {
        inquiry.close();
        nodes.close();
    }

    @Override
    public long probeSubject(RedisNode node) {
        int tries = servesAny(node) ? HashSlotTable.SLOTS * 8 : 0;
        for (int i = 0; i < tries; i++) {
            long subject = ThreadLocalRandom.current().nextLong();
            if (slots.get(RedisKey.slot(subject)) == node) {
                return subject;
            }
        }
        return 0; // it serves nothing: whatever it says to this, nobody is sent there
    }

    @Override
    public @Nullable RedisNode redirected(ClusterRedirect redirect, RedisNode from) {
        String host = HashSlotTable.isUnknown(redirect.host()) ? nodes.hostOf(from) : redirect.host();
        if (host.isEmpty() || redirect.slot() < 0 || redirect.slot() >= HashSlotTable.SLOTS) {
            return null;
        }
        HostPort server = new HostPort(host, redirect.port());
        if (redirect.ask()) {
            return nodes.atMoving(server);
        }
        RedisNode target = nodes.at(server);
        if (target != null) {
            slots.set(redirect.slot(), target);
            changed();
        }
        return target;
    }

    @Override
    public void changed() {
        inquiry.doubt();
    }

    @Override
    public Map<HostPort, RedisNode> known() {
        return nodes.known();
    }

    @Override
    public void nobodyThere() {
        nodes.meetFirst(); // whoever we knew may be gone for good
    }

    @Override
    public boolean take(Map<HostPort, boolean[]> table) {
        boolean whole = true;
        boolean changed = false;
        int nobodys = 0;
        RedisNode[] owners = new RedisNode[HashSlotTable.SLOTS];
        for (Map.Entry<HostPort, boolean[]> each : table.entrySet()) {
            RedisNode node = nodes.at(each.getKey());
            if (node == null) {
                return false;
            }
            whole &= node.health().serves();
            for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
                owners[slot] = each.getValue()[slot] ? node : owners[slot];
            }
        }
        for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
            RedisNode owner = owners[slot];
            nobodys += owner == null ? 1 : 0;
            // A slot that nobody serves stays with who served it: its failure is the truth.
            if (owner != null && slots.getAndSet(slot, owner) != owner) {
                changed = true;
            }
        }
        unserved = nobodys;
        if (changed) {
            LOG.log(Level.DEBUG, "redis cluster: " + table.keySet() + " serve its slots");
            nodes().forEach(RedisNode::hasNews);
        }
        nodes.dismiss((server, node) -> !table.containsKey(server) && !servesAny(node));
        return whole && nobodys == 0;
    }

    private boolean servesAny(RedisNode node) {
        for (int slot = 0; slot < HashSlotTable.SLOTS; slot++) {
            if (slots.get(slot) == node) {
                return true;
            }
        }
        return false;
    }
}
