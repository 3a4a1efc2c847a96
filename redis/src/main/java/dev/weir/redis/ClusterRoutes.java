package dev.weir.redis;

import dev.weir.redis.RedisAddress.HostPort;
import dev.weir.redis.script.RedisKey;
import dev.weir.store.StoreFailure;
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
 * What the cluster says when it is asked ({@link SlotInquiry}), which it is also when there is reason to doubt: a connection was
 * lost, a breaker opened, a node said READONLY, CLUSTERDOWN or MOVED. {@code MOVED} sets its slot at once. A node that serves nothing
 * any more is parted with.
 *
 * <h2>Concurrency</h2>
 *
 * Slots are read by any thread and written in one event loop, but for those that {@code MOVED} sets; the last word has the table.
 */
final class ClusterRoutes implements Routes, Node.Neighbours, SlotInquiry.Cluster {
    private static final System.Logger LOG = System.getLogger(ClusterRoutes.class.getName());

    private final EventLoop loop;
    private final ClusterNodes nodes;
    private final AtomicReferenceArray<@Nullable Node> slots = new AtomicReferenceArray<>(SlotTable.SLOTS);

    private final SlotInquiry inquiry;
    /** Slots that nobody serves, as the cluster said last. */
    private volatile int unserved = SlotTable.SLOTS;

    ClusterRoutes(NodeFactory factory, RedisSettings settings, EventLoop loop) {
        this.loop = loop;
        this.nodes = new ClusterNodes(factory, settings, this, loop);
        this.inquiry = new SlotInquiry(this, loop);
    }

    @Override
    public boolean bySlot() {
        return true;
    }

    @Override
    public @Nullable Node node(int slot) {
        return slots.get(slot);
    }

    @Override
    public boolean serves() {
        Node last = null;
        for (int slot = 0; slot < SlotTable.SLOTS; slot++) {
            Node node = slots.get(slot);
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
        Complaint said = inquiry.complaint();
        return said == null ? "slots that nobody is known to serve: " + nobodys : said.toString();
    }

    @Override
    public StoreFailure failure() {
        for (Node each : nodes()) {
            StoreFailure down = each.health().down();
            if (down == StoreFailure.REFUSED) {
                return down;
            }
        }
        Complaint said = inquiry.complaint();
        return said == null ? StoreFailure.UNREACHABLE : said.failure();
    }

    @Override
    public List<Node> nodes() {
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
    public long probeSubject(Node node) {
        int tries = servesAny(node) ? SlotTable.SLOTS * 8 : 0;
        for (int i = 0; i < tries; i++) {
            long subject = ThreadLocalRandom.current().nextLong();
            if (slots.get(RedisKey.slot(subject)) == node) {
                return subject;
            }
        }
        return 0; // it serves nothing: whatever it says to this, nobody is sent there
    }

    @Override
    public @Nullable Node redirected(Redirect redirect, Node from) {
        String host = SlotTable.isUnknown(redirect.host()) ? nodes.hostOf(from) : redirect.host();
        if (host.isEmpty() || redirect.slot() < 0 || redirect.slot() >= SlotTable.SLOTS) {
            return null;
        }
        HostPort server = new HostPort(host, redirect.port());
        if (redirect.ask()) {
            return nodes.atMoving(server);
        }
        Node target = nodes.at(server);
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
    public Map<HostPort, Node> known() {
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
        Node[] owners = new Node[SlotTable.SLOTS];
        for (Map.Entry<HostPort, boolean[]> each : table.entrySet()) {
            Node node = nodes.at(each.getKey());
            if (node == null) {
                return false;
            }
            whole &= node.health().serves();
            for (int slot = 0; slot < SlotTable.SLOTS; slot++) {
                owners[slot] = each.getValue()[slot] ? node : owners[slot];
            }
        }
        for (int slot = 0; slot < SlotTable.SLOTS; slot++) {
            Node owner = owners[slot];
            nobodys += owner == null ? 1 : 0;
            // A slot that nobody serves stays with who served it: its failure is the truth.
            if (owner != null && slots.getAndSet(slot, owner) != owner) {
                changed = true;
            }
        }
        unserved = nobodys;
        if (changed) {
            LOG.log(Level.DEBUG, "redis cluster: " + table.keySet() + " serve its slots");
            nodes().forEach(Node::hasNews);
        }
        nodes.dismiss((server, node) -> !table.containsKey(server) && !servesAny(node));
        return whole && nobodys == 0;
    }

    private boolean servesAny(Node node) {
        for (int slot = 0; slot < SlotTable.SLOTS; slot++) {
            if (slots.get(slot) == node) {
                return true;
            }
        }
        return false;
    }
}
