package dev.weir.redis;

import dev.weir.redis.RedisAddress.HostPort;
import dev.weir.redis.script.RedisKey;
import dev.weir.store.StoreFailure;
import io.netty.channel.EventLoop;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a cluster, each with lanes and a breaker of its own.
 *
 * <h2>Who serves what</h2>
 *
 * What the cluster says when it is asked ({@link SlotInquiry}), which it is also when there is reason to doubt: a connection was
 * lost, a breaker opened, a node said READONLY, CLUSTERDOWN or MOVED. {@code MOVED} sets its slot at once. A node that serves nothing
 * any more is closed a while after.
 *
 * <h2>Concurrency</h2>
 *
 * Slots are read by any thread and written in one event loop, but for those that {@code MOVED} sets; the last word has the table.
 */
final class ClusterRoutes implements Routes, Node.Neighbours, SlotInquiry.Cluster {
    private static final System.Logger LOG = System.getLogger(ClusterRoutes.class.getName());
    private static final long FAREWELL_MILLIS = 5_000;

    private final NodeFactory factory;
    private final RedisSettings settings;
    private final EventLoop loop;
    private final Map<HostPort, Node> nodes = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Node> slots = new AtomicReferenceArray<>(SlotTable.SLOTS);

    private final SlotInquiry inquiry;
    private volatile boolean warming;
    private volatile boolean closed;

    ClusterRoutes(NodeFactory factory, RedisSettings settings, EventLoop loop) {
        this.factory = factory;
        this.settings = settings;
        this.loop = loop;
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
        return true;
    }

    @Override
    public StoreFailure failure() {
        for (Node each : nodes.values()) {
            StoreFailure down = each.health().down();
            if (down == StoreFailure.REFUSED) {
                return down;
            }
        }
        return StoreFailure.UNREACHABLE;
    }

    @Override
    public List<Node> nodes() {
        return List.copyOf(nodes.values());
    }

    @Override
    public void warming(boolean now) {
        warming = now;
        nodes.values().forEach(node -> node.warming(now));
    }

    @Override
    public void open() {
        loop.execute(() -> {
            settings.address().hosts().forEach(this::nodeAt);
            inquiry.begin();
        });
    }

    @Override
    public void close() {
        closed = true;
        inquiry.close();
        nodes.values().forEach(factory::close);
    }

    @Override
    public long probeSubject(Node node) {
        for (int i = 0; i < SlotTable.SLOTS * 8; i++) {
            long subject = ThreadLocalRandom.current().nextLong();
            if (slots.get(RedisKey.slot(subject)) == node) {
                return subject;
            }
        }
        return 0; // it serves nothing: whatever it says to this, nobody is sent there
    }

    @Override
    public @Nullable Node redirected(Redirect redirect, Node from) {
        String host = SlotTable.isUnknown(redirect.host()) ? hostOf(from) : redirect.host();
        if (closed || host.isEmpty() || redirect.slot() < 0 || redirect.slot() >= SlotTable.SLOTS) {
            return null;
        }
        Node target = nodeAt(new HostPort(host, redirect.port()));
        if (!redirect.ask()) {
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
        return nodes;
    }

    @Override
    public void nobodyThere() {
        settings.address().hosts().forEach(this::nodeAt); // whoever we knew may be gone for good
    }

    private Node nodeAt(HostPort server) {
        Node known = nodes.get(server);
        if (known != null) {
            return known;
        }
        Node made = factory.node(server.toString(), LettuceParts.uri(settings, server), this);
        Node other = nodes.putIfAbsent(server, made);
        if (other == null) {
            made.warming(warming);
            made.open();
        }
        return other == null ? made : other;
    }

    private String hostOf(Node node) {
        for (Map.Entry<HostPort, Node> each : nodes.entrySet()) {
            if (each.getValue() == node) {
                return each.getKey().host();
            }
        }
        return "";
    }

    @Override
    public boolean take(Map<HostPort, boolean[]> table) {
        boolean whole = true;
        boolean changed = false;
        Node[] owners = new Node[SlotTable.SLOTS];
        for (Map.Entry<HostPort, boolean[]> each : table.entrySet()) {
            Node node = nodeAt(each.getKey());
            whole &= node.health().serves();
            for (int slot = 0; slot < SlotTable.SLOTS; slot++) {
                owners[slot] = each.getValue()[slot] ? node : owners[slot];
            }
        }
        for (int slot = 0; slot < SlotTable.SLOTS; slot++) {
            Node owner = owners[slot];
            whole &= owner != null;
            // A slot that nobody serves stays with who served it: its failure is the truth.
            if (owner != null && slots.getAndSet(slot, owner) != owner) {
                changed = true;
            }
        }
        if (changed) {
            LOG.log(Level.DEBUG, "redis cluster: " + table.keySet() + " serve its slots");
            nodes.values().forEach(Node::hasNews);
        }
        dismiss(table);
        return whole;
    }

    private void dismiss(Map<HostPort, boolean[]> table) {
        nodes.entrySet().removeIf(each -> {
            boolean idle = !table.containsKey(each.getKey()) && !servesAny(each.getValue());
            if (idle) {
                each.getValue().dismiss();
                // What is still under way there may be answered.
                var unused =
                        loop.schedule(() -> factory.close(each.getValue()), FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
            }
            return idle;
        });
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
