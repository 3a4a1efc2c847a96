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
 * Asks a cluster who serves what, and sees to it that it is asked again.
 *
 * <p>{@code CLUSTER SLOTS} of any master that answers, over the connections that are there (hundreds of processes must not connect to
 * every node each time something happens), every half minute, and when there is reason to doubt. While a master is away it is asked
 * again and again, later and later up to a second.
 *
 * <p><b>Concurrency.</b> All of it happens in one event loop; {@link #doubt} and {@link #close} may come from anywhere.
 */
final class HashSlotRefresh {
    private static final System.Logger LOG = System.getLogger(HashSlotRefresh.class.getName());
    private static final long EVERY_MILLIS = 30_000;
    private static final long FIRST_WAIT_MILLIS = 50;
    private static final long LONGEST_WAIT_MILLIS = 1_000;
    private static final long PATIENCE_MILLIS = 500;

    /** Who can be asked, and who hears the answer. */
    interface Cluster {
        /** The nodes that are known, by where they are. */
        Map<HostPort, RedisNode> known();

        /** Nobody who is known can be asked. */
        void nobodyThere();

        /** Takes in who serves what; whether all slots are served by nodes that serve. */
        boolean take(Map<HostPort, boolean[]> table);
    }

    private record Candidate(String host, ReconnectingConnection line, boolean failing) {}

    private final Cluster cluster;
    private final EventLoop loop;
    private @Nullable ScheduledFuture<?> next;
    private long nextNanos;
    private boolean asking;
    private int troubled;
    /** What was said instead of who serves what; null since that was said. Any thread may read it. */
    private volatile @Nullable RedisError complaint;

    private volatile boolean closed;

    HashSlotRefresh(Cluster cluster, EventLoop loop) {
        this.cluster = cluster;
        this.loop = loop;
    }

    /** Why it is not known who serves what; null if it is, or nobody could be asked. */
    @Nullable
    RedisError complaint() {
        return complaint;
    }

    /** Asks for the first time; in the event loop. */
    void begin() {
        askIn(0);
    }

    /** Something has happened: it is asked soon, but not by everybody at once. */
    void doubt() {
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

    /** The earlier of two wishes counts. */
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
            ReconnectingConnection line = node.upLine();
            if (line != null) {
                up.add(new Candidate(server.host(), line, node.isOpen()));
            }
        });
        if (up.isEmpty()) {
            cluster.nobodyThere();
            again(true);
            return;
        }
        // A node that is taken for gone is asked last; else whoever comes.
        Collections.shuffle(up);
        up.sort((a, b) -> Boolean.compare(a.failing, b.failing));
        asking = true;
        String asked = up.get(0).host;
        byte[] what = "SLOTS".getBytes(StandardCharsets.US_ASCII);
        var unused = PlainCommand.run(up.get(0).line, CommandType.CLUSTER, what)
                .orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete((reply, failed) -> loop.execute(() -> {
                    asking = false;
                    Map<HostPort, boolean[]> table = reply == null ? null : HashSlotTable.read(reply, asked);
                    if (failed != null) {
                        complain(asked, RedisFailures.of(failed), RedisFailures.reason(failed));
                    } else if (table == null) {
                        complain(asked, StoreFailure.BROKEN, "an answer that cannot be read");
                    } else if (table.isEmpty()) {
                        complain(asked, StoreFailure.UNAVAILABLE, "nobody serves any slot");
                    } else {
                        complaint = null;
                    }
                    if (closed) {
                        return;
                    }
                    boolean trouble = true;
                    try {
                        trouble = table == null || table.isEmpty() || !cluster.take(table);
                    } finally {
                        again(trouble); // whatever happens: who stops looking never finds it again
                    }
                }));
    }

    private void complain(String asked, StoreFailure failure, String reason) {
        RedisError said = new RedisError(failure, "CLUSTER SLOTS: " + reason);
        if (!closed && !said.equals(complaint)) {
            complaint = said;
            LOG.log(Level.WARNING, "redis cluster, asked at " + asked + ": " + said);
        }
    }

    private void again(boolean trouble) {
        troubled = trouble ? troubled + 1 : 0;
        long bound = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(troubled, 10));
        long wait = trouble ? bound / 2 + ThreadLocalRandom.current().nextLong(bound / 2) : EVERY_MILLIS;
        askIn(wait);
    }
}
