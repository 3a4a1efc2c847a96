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

/** One server of Redis as the store sees it: the lanes to it, its breaker, and what it complained of. */
public final class RedisNode {
    /** What a node needs of the store around it. */
    public interface Neighbours {
        /** Who is where {@code redirect} points; null if nobody is to be sent there. */
        @Nullable
        public RedisNode redirected(ClusterRedirect redirect, RedisNode from);

        /** A subject whose counters live on {@code node}. */
        long probeSubject(RedisNode node);

        /** Something is not as it was: who serves what should be looked up. */
        void changed();
    }

    private final String name;
    private final NodeLog log;
    private final NodeBreaker breaker;
    private final Neighbours neighbours;
    private final EvictionWatch eviction;
    private final ScriptBatcher[] lanes;
    private final NodeProbe[] probes;
    private long openedNanos;
    private volatile boolean closing;
    private volatile boolean warming;
    /** What it last said instead of deciding; null since it decided. */
    private volatile @Nullable RedisError complaint;

    private boolean looked;

    RedisNode(
            String name,
            RedisSettings settings,
            ReconnectingConnection.Factory[] lines,
            ScriptCommands commands,
            RedisStats stats,
            EvictionWatch eviction,
            Neighbours neighbours) {
        this.name = name;
        this.log = new NodeLog(name);
        this.neighbours = neighbours;
        this.eviction = eviction;
        this.breaker = new NodeBreaker(name, settings.breaker(), this::opened);
        this.lanes = new ScriptBatcher[lines.length];
        this.probes = new NodeProbe[lines.length];
        for (int i = 0; i < lines.length; i++) {
            lanes[i] = new ScriptBatcher(this, lines[i], commands, stats, settings);
            probes[i] = new NodeProbe(
                    this, lanes[i].line(), commands, stats, settings, () -> neighbours.probeSubject(this));
        }
    }

    public void open() {
        for (ScriptBatcher lane : lanes) {
            lane.line().open();
        }
    }

    public boolean isOpen() {
        return breaker.isOpen();
    }

    /** The lane of a subject, always the same one: the order of its asks is kept. */
    public ScriptBatcher lane(long subject) {
        return lanes.length == 1 ? lanes[0] : lanes[(int) Long.remainderUnsigned(subject, lanes.length)];
    }

    /** A line to it that is up; null if none is. */
    @Nullable
    public ReconnectingConnection upLine() {
        for (ScriptBatcher lane : lanes) {
            if (lane.line().down() == null) {
                return lane.line();
            }
        }
        return null;
    }

    /** As well as the worst of its lines is: what goes over it fails. */
    public NodeHealth health() {
        int waiting = 0;
        ReconnectingConnection line = lanes[0].line();
        for (ScriptBatcher lane : lanes) {
            waiting += lane.waiting();
            line = line.down() == null ? lane.line() : line;
        }
        RedisError last = complaint;
        String reason = line.down() == null && last != null ? last.toString() : line.reason();
        return new NodeHealth(name, line.down(), reason, breaker.isOpen(), waiting);
    }

    /** It is of no interest any more: it is not probed, and nothing more is said of it. */
    public void dismiss() {
        closing = true;
        for (NodeProbe probe : probes) {
            probe.stop();
        }
    }

    List<ReconnectingConnection> lines() {
        return Arrays.stream(lanes).map(ScriptBatcher::line).toList();
    }

    public void warming(boolean now) {
        warming = now;
    }

    void succeeded(long nanos) {
        served();
        if (!warming) {
            breaker.succeeded(nanos);
        }
    }

    void failed(long nanos) {
        if (!warming) {
            breaker.failed(nanos);
        }
    }

    @Nullable
    public RedisNode redirected(ClusterRedirect redirect) {
        return neighbours.redirected(redirect, this);
    }

    private void served() {
        if (complaint != null) {
            complaint = null;
        }
        log.served();
    }

    /** Redis answered with an error that is not the batch's fault. */
    void complained(ReconnectingConnection line, int generation, String error) {
        RedisError said = RedisError.of(error);
        complaint = said;
        if (said.failure() == StoreFailure.REFUSED) {
            breaker.open(); // the next one would be refused as well: that is for people to mend, who should hear of it
            // now
        }
        String code = RedisFailures.code(error);
        if (code.equals("READONLY")) {
            // It was a master when we connected. Whoever is now is found by connecting again.
            line.renew(generation, StoreFailure.UNAVAILABLE, error);
        }
        if (code.equals("READONLY")
                || code.equals("MOVED")
                || code.equals("CLUSTERDOWN")
                || code.equals("MASTERDOWN")) {
            neighbours.changed();
        }
    }

    /** It was asked for a slot that nobody serves, which says nothing of the others. */
    void lacksSlot() {
        neighbours.changed();
    }

    /** There is this connection to it, be it the first or one more. */
    synchronized void up(ReconnectingConnection line) {
        log.up();
        if (!looked) {
            looked = true;
            eviction.look(name, line);
        }
        neighbours.changed();
        hasNews();
    }

    void down(StoreFailure failure, String reason) {
        if (!closing) {
            log.down(failure, reason);
            neighbours.changed();
            probed(); // that line is waited for no longer
        }
    }

    /** A line to it is down because nothing came over it any more. If there is no other, it is not known whether the next will be better. */
    void silent() {
        if (!warming && upLine() == null) {
            breaker.open();
        }
    }

    /** Something changed around it: worth a try. */
    public void hasNews() {
        if (breaker.isOpen() && !closing) {
            for (NodeProbe probe : probes) {
                probe.now();
            }
        }
    }

    /** A reply does not fit what was asked; {@code cause} is what reading it came to, if it came to an end. */
    void mismatched(@Nullable RuntimeException cause) {
        log.mismatched(cause);
    }

    private void opened() {
        if (closing) {
            return;
        }
        openedNanos = System.nanoTime();
        log.opened(complaint);
        neighbours.changed();
        for (NodeProbe probe : probes) {
            probe.start();
        }
    }

    /** A line was probed. Callers are let in again once it serves over all that are up: some of them would be failed else. */
    synchronized void probed() {
        boolean serves = false;
        for (NodeProbe probe : probes) {
            serves |= probe.served();
            if (probe.isAwaited()) {
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
