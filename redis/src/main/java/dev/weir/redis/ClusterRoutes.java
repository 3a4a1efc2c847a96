package dev.weir.redis;

import dev.weir.redis.RedisAddress.HostPort;
import dev.weir.redis.script.RedisKey;
import dev.weir.store.StoreFailure;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
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
 * {@code CLUSTER SLOTS} of any master that answers, over the connections that are there (hundreds of processes must not connect to
 * every node each time something happens), every half minute, and when there is reason to doubt: a connection was lost, a breaker
 * opened, a node said READONLY, CLUSTERDOWN or MOVED. While a master is away it is asked again and again, later and later up to a
 * second. {@code MOVED} sets its slot at once. A node that serves nothing any more is closed a while after.
 *
 * <h2>Concurrency</h2>
 *
 * Slots are read by any thread and written in one event loop, but for those that {@code MOVED} sets; the last word has the table.
 */
final class ClusterRoutes implements Routes, Node.Neighbours {
    private static final System.Logger LOG = System.getLogger(ClusterRoutes.class.getName());
    private static final long EVERY_MILLIS = 30_000;
    private static final long FIRST_WAIT_MILLIS = 50;
    private static final long LONGEST_WAIT_MILLIS = 1_000;
    private static final long PATIENCE_MILLIS = 500;
    private static final long FAREWELL_MILLIS = 5_000;

    private final NodeFactory factory;
    private final RedisSettings settings;
    private final EventLoop loop;
    private final Map<HostPort, Node> nodes = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Node> slots = new AtomicReferenceArray<>(SlotTable.SLOTS);

    private @Nullable ScheduledFuture<?> next;
    private long nextNanos;
    private boolean asking;
    private int troubled;
    private String complaint = "";
    private volatile boolean warming;
    private volatile boolean closed;

    ClusterRoutes(NodeFactory factory, RedisSettings settings, EventLoop loop) {
        this.factory = factory;
        this.settings = settings;
        this.loop = loop;
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
            refreshIn(0);
        });
    }

    @Override
    public void close() {
        closed = true;
        loop.execute(() -> {
            if (next != null) {
                next.cancel(false);
            }
        });
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
        String host = redirect.host().isEmpty() ? hostOf(from) : redirect.host();
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
        if (!closed) {
            loop.execute(() -> refreshIn(ThreadLocalRandom.current().nextLong(FIRST_WAIT_MILLIS)));
        }
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

    /** In the event loop. The earlier of two wishes counts. */
    private void refreshIn(long millis) {
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        if (closed || asking || (next != null && nextNanos - due <= 0)) {
            return;
        }
        if (next != null) {
            next.cancel(false);
        }
        nextNanos = due;
        next = loop.schedule(this::refresh, millis, TimeUnit.MILLISECONDS);
    }

    private void refresh() {
        next = null;
        List<Map.Entry<HostPort, Node>> up = new ArrayList<>();
        nodes.forEach((server, node) -> {
            if (node.lane(0).line().down() == null) {
                up.add(Map.entry(server, node));
            }
        });
        if (up.isEmpty()) {
            settings.address().hosts().forEach(this::nodeAt); // whoever we knew may be gone for good
            again(true);
            return;
        }
        // A node that is taken for gone is asked last; else whoever comes.
        Collections.shuffle(up);
        up.sort((a, b) -> Boolean.compare(a.getValue().isOpen(), b.getValue().isOpen()));
        asking = true;
        String asked = up.get(0).getKey().host();
        byte[] what = "SLOTS".getBytes(StandardCharsets.US_ASCII);
        var unused = PlainCommand.run(up.get(0).getValue().lane(0).line(), CommandType.CLUSTER, what)
                .orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete((reply, failed) -> loop.execute(() -> {
                    asking = false;
                    Map<HostPort, boolean[]> table = reply == null ? null : SlotTable.read(reply, asked);
                    if (table == null) {
                        complain(asked, failed == null ? "an answer that cannot be read" : Failures.reason(failed));
                    }
                    boolean trouble = true;
                    try {
                        trouble = table == null || table.isEmpty() || !apply(table);
                    } finally {
                        again(trouble); // whatever happens: who stops looking never finds it again
                    }
                }));
    }

    private void complain(String asked, String reason) {
        if (!closed && !reason.equals(complaint)) {
            complaint = reason;
            LOG.log(Level.WARNING, "redis cluster: CLUSTER SLOTS of " + asked + ": " + reason);
        }
    }

    private void again(boolean trouble) {
        troubled = trouble ? troubled + 1 : 0;
        long bound = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(troubled, 10));
        long wait = trouble ? bound / 2 + ThreadLocalRandom.current().nextLong(bound / 2) : EVERY_MILLIS;
        refreshIn(wait);
    }

    /** Whether all slots are served by nodes that serve. */
    private boolean apply(Map<HostPort, boolean[]> table) {
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
