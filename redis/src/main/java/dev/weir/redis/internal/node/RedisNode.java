package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.connection.ClusterRedirect;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import dev.weir.redis.internal.connection.RedisError;
import dev.weir.redis.internal.connection.RedisFailures;
import dev.weir.redis.internal.connection.ScriptCommands;
import dev.weir.redis.internal.settings.RedisSettings;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One Redis server as the store sees it: its batchers, its breaker and its last error. */
public final class RedisNode {
    /** The topology around a node. */
    public interface Topology {
        /** Returns the node that {@code redirect} points to; null if the redirect is not followed. */
        @Nullable
        RedisNode redirected(ClusterRedirect redirect, RedisNode from);

        /** Returns a subject whose counters are on {@code node}. */
        long probeSubject(RedisNode node);

        /** Called when the map of hash slots may be out of date. */
        void changed();
    }

    private final String name;
    private final NodeLog log;
    private final NodeBreaker breaker;
    private final Topology topology;
    private final EvictionWatch eviction;
    private final ScriptBatcher[] batchers;
    private final NodeProbe[] probes;
    private long openedNanos;
    private volatile boolean closing;
    private volatile boolean warmingUp;
    /** The last error; null after a batch was answered. */
    private volatile @Nullable RedisError lastError;

    private boolean evictionChecked;

    RedisNode(
            String name,
            RedisSettings settings,
            ReconnectingConnection.Factory[] connections,
            ScriptCommands commands,
            RedisStats stats,
            EvictionWatch eviction,
            Topology topology) {
        this.name = name;
        this.log = new NodeLog(name);
        this.topology = topology;
        this.eviction = eviction;
        this.breaker = new NodeBreaker(name, settings.breaker(), this::opened);
        this.batchers = new ScriptBatcher[connections.length];
        this.probes = new NodeProbe[connections.length];
        for (int i = 0; i < connections.length; i++) {
            batchers[i] = new ScriptBatcher(this, connections[i], commands, stats, settings);
            probes[i] = new NodeProbe(
                    this, batchers[i].connection(), commands, stats, settings, () -> topology.probeSubject(this));
        }
    }

    public void open() {
        for (ScriptBatcher batcher : batchers) {
            batcher.connection().open();
        }
    }

    public boolean isOpen() {
        return breaker.isOpen();
    }

    /** Returns the batcher of a subject. It is always the same one, so that the order of the subject's asks is kept. */
    public ScriptBatcher batcher(long subject) {
        return batchers.length == 1 ? batchers[0] : batchers[(int) Long.remainderUnsigned(subject, batchers.length)];
    }

    /** Returns a connection that is up; null if there is none. */
    @Nullable
    public ReconnectingConnection upConnection() {
        for (ScriptBatcher batcher : batchers) {
            if (batcher.connection().down() == null) {
                return batcher.connection();
            }
        }
        return null;
    }

    /** Returns the health of its worst connection, because asks over that one fail. */
    public NodeHealth health() {
        int waiting = 0;
        ReconnectingConnection connection = batchers[0].connection();
        for (ScriptBatcher batcher : batchers) {
            waiting += batcher.waiting();
            connection = connection.down() == null ? batcher.connection() : connection;
        }
        RedisError last = lastError;
        String reason = connection.down() == null && last != null ? last.toString() : connection.reason();
        return new NodeHealth(name, connection.down(), reason, breaker.isOpen(), waiting);
    }

    /** Stops probing and logging, because the node is not used any more. */
    public void retire() {
        closing = true;
        for (NodeProbe probe : probes) {
            probe.stop();
        }
    }

    List<ReconnectingConnection> connections() {
        return Arrays.stream(batchers).map(ScriptBatcher::connection).toList();
    }

    public void warmingUp(boolean now) {
        warmingUp = now;
    }

    void succeeded(long nanos) {
        served();
        if (!warmingUp) {
            breaker.succeeded(nanos);
        }
    }

    void failed(long nanos) {
        if (!warmingUp) {
            breaker.failed(nanos);
        }
    }

    @Nullable
    public RedisNode redirected(ClusterRedirect redirect) {
        return topology.redirected(redirect, this);
    }

    private void served() {
        if (lastError != null) {
            lastError = null;
        }
        log.served();
    }

    /** Handles an error of Redis that is not caused by the batch. */
    void repliedWithError(ReconnectingConnection connection, int generation, String error) {
        RedisError reported = RedisError.of(error);
        lastError = reported;
        if (reported.failure() == StoreFailure.REFUSED) {
            breaker.open(); // the next batch would be refused too: an operator has to correct it and should know now
        }
        String code = RedisFailures.code(error);
        if (code.equals("READONLY")) {
            // The server was a master when we connected. Reconnecting finds the current one.
            connection.renew(generation, StoreFailure.UNAVAILABLE, error);
        }
        if (code.equals("READONLY")
                || code.equals("MOVED")
                || code.equals("CLUSTERDOWN")
                || code.equals("MASTERDOWN")) {
            topology.changed();
        }
    }

    /** Handles a reply for a hash slot that no node serves; other hash slots are not affected. */
    void hashSlotUnserved() {
        topology.changed();
    }

    /** Handles a connection that came up. */
    synchronized void up(ReconnectingConnection connection) {
        log.up();
        if (!evictionChecked) {
            evictionChecked = true;
            eviction.check(name, connection);
        }
        topology.changed();
        probeNow();
    }

    void down(StoreFailure failure, String reason) {
        if (!closing) {
            log.down(failure, reason);
            topology.changed();
            probed(); // the probe of that connection is not waited for any longer
        }
    }

    /**
     * Handles a dead connection. If no other connection is up, the breaker opens, because the next connection may be
     * dead too.
     */
    void connectionDead() {
        if (!warmingUp && upConnection() == null) {
            breaker.open();
        }
    }

    /** Probes now if the breaker is open, because something has changed. */
    public void probeNow() {
        if (breaker.isOpen() && !closing) {
            for (NodeProbe probe : probes) {
                probe.probeNow();
            }
        }
    }

    /** Handles a reply that does not match its batch; {@code cause} is the exception while reading it, if any. */
    void mismatched(@Nullable RuntimeException cause) {
        log.mismatched(cause);
    }

    /** A counter is in a format of a later version. */
    void unknownFormat() {
        log.unknownFormat();
    }

    private void opened() {
        if (closing) {
            return;
        }
        openedNanos = System.nanoTime();
        log.opened(lastError);
        topology.changed();
        for (NodeProbe probe : probes) {
            probe.start();
        }
    }

    /**
     * Closes the breaker if the probes of all connections that are up have succeeded. If only some had, asks over the
     * others would fail.
     */
    synchronized void probed() {
        boolean serves = false;
        for (NodeProbe probe : probes) {
            serves |= probe.served();
            if (probe.isPending()) {
                return;
            }
        }
        if (serves && breaker.isOpen()) {
            for (NodeProbe probe : probes) {
                probe.stop();
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNanos);
            breaker.close();
            log.closed(millis);
            served();
        }
    }
}
