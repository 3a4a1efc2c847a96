package dev.weir.redis.internal.routing;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.connection.PlainCommand;
import dev.weir.redis.internal.connection.ReconnectingConnection;
import dev.weir.redis.internal.connection.RedisError;
import dev.weir.redis.internal.connection.RedisFailures;
import dev.weir.redis.internal.node.RedisNode;
import dev.weir.redis.internal.settings.RedisAddress.HostPort;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a cluster which node serves which hash slot, repeatedly.
 *
 * <p>It sends {@code CLUSTER SLOTS} to any reachable master over an existing connection, because hundreds of processes
 * must not connect to every node after each event. It does so every half minute, and when the map may be out of date.
 * While a hash slot has no healthy node, it retries with growing waits of up to a second.
 *
 * <p><b>Concurrency.</b> Everything runs in one event loop; {@link #refreshSoon} and {@link #close} may be called by
 * any thread.
 */
final class HashSlotRefresh {
    private static final System.Logger LOG = System.getLogger(HashSlotRefresh.class.getName());
    private static final long EVERY_MILLIS = 30_000;
    private static final long FIRST_WAIT_MILLIS = 50;
    private static final long LONGEST_WAIT_MILLIS = 1_000;
    private static final long TIMEOUT_MILLIS = 500;

    /** The cluster that is asked and receives the map. */
    interface Cluster {
        /** Returns the known nodes, by address. */
        Map<HostPort, RedisNode> known();

        /** Called if no known node is reachable. */
        void noneReachable();

        /** Applies a map; returns whether every hash slot is served by a healthy node. */
        boolean update(Map<HostPort, boolean[]> table);
    }

    private record Candidate(String host, ReconnectingConnection connection, boolean failing) {}

    private final Cluster cluster;
    private final EventLoop loop;
    private @Nullable ScheduledFuture<?> next;
    private long nextNanos;
    private boolean asking;
    private int failures;
    /** The last error; null after a map was read. Any thread may read it. */
    private volatile @Nullable RedisError lastError;

    private volatile boolean closed;

    HashSlotRefresh(Cluster cluster, EventLoop loop) {
        this.cluster = cluster;
        this.loop = loop;
    }

    /** Returns why there is no current map; null if there is one, or if no node was reachable. */
    @Nullable
    RedisError lastError() {
        return lastError;
    }

    /** Reads the map for the first time; in the event loop. */
    void begin() {
        askIn(0);
    }

    /** Reads the map soon, because it may be out of date. The wait is random, so that not all processes ask at once. */
    void refreshSoon() {
        if (!closed) {
            loop.execute(() -> askIn(ThreadLocalRandom.current().nextLong(FIRST_WAIT_MILLIS)));
        }
    }

    void close() {
        closed = true;
        loop.execute(() -> {
            if (next != null) {
                next.cancel(false);
            }
        });
    }

    /** Schedules the next read; the earlier of two schedules counts. */
    private void askIn(long millis) {
        long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        if (closed || asking || (next != null && nextNanos - due <= 0)) {
            return;
        }
        if (next != null) {
            next.cancel(false);
        }
        nextNanos = due;
        next = loop.schedule(this::ask, millis, TimeUnit.MILLISECONDS);
    }

    private void ask() {
        next = null;
        List<Candidate> up = new ArrayList<>();
        cluster.known().forEach((server, node) -> {
            ReconnectingConnection connection = node.upConnection();
            if (connection != null) {
                up.add(new Candidate(server.host(), connection, node.isOpen()));
            }
        });
        if (up.isEmpty()) {
            cluster.noneReachable();
            scheduleNext(true);
            return;
        }
        // Ask a random node, those with an open breaker last.
        Collections.shuffle(up);
        up.sort((a, b) -> Boolean.compare(a.failing, b.failing));
        asking = true;
        String asked = up.get(0).host;
        byte[] what = "SLOTS".getBytes(StandardCharsets.US_ASCII);
        var unused = PlainCommand.run(up.get(0).connection, CommandType.CLUSTER, what)
                .orTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete((reply, failed) -> loop.execute(() -> {
                    asking = false;
                    Map<HostPort, boolean[]> table = reply == null ? null : HashSlotTable.read(reply, asked);
                    if (failed != null) {
                        recordError(asked, RedisFailures.of(failed), RedisFailures.reason(failed));
                    } else if (table == null) {
                        recordError(asked, StoreFailure.BROKEN, "the reply cannot be read");
                    } else if (table.isEmpty()) {
                        recordError(asked, StoreFailure.UNAVAILABLE, "no node serves any hash slot");
                    } else {
                        lastError = null;
                    }
                    if (closed) {
                        return;
                    }
                    boolean trouble = true;
                    try {
                        trouble = table == null || table.isEmpty() || !cluster.update(table);
                    } finally {
                        scheduleNext(trouble); // also after an exception, or the map would never be read again
                    }
                }));
    }

    private void recordError(String asked, StoreFailure failure, String reason) {
        RedisError error = new RedisError(failure, "CLUSTER SLOTS: " + reason);
        if (!closed && !error.equals(lastError)) {
            lastError = error;
            LOG.log(Level.WARNING, "redis cluster, asked at " + asked + ": " + error);
        }
    }

    private void scheduleNext(boolean trouble) {
        failures = trouble ? failures + 1 : 0;
        long bound = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(failures, 10));
        long wait = trouble ? bound / 2 + ThreadLocalRandom.current().nextLong(bound / 2) : EVERY_MILLIS;
        askIn(wait);
    }
}
