package dev.weir.redis;

import dev.weir.store.StoreFailure;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One server of Redis as the store sees it: the lanes to it, its breaker, and what is said of it in the log. */
final class Node {
    /** What a node needs of the store around it. */
    interface Neighbours {
        /** Who is where {@code redirect} points; null if nobody is to be sent there. */
        @Nullable
        Node redirected(Redirect redirect, Node from);

        /** A subject whose counters live on {@code node}. */
        long probeSubject(Node node);

        /** Something is not as it was: who serves what should be looked up. */
        void changed();
    }

    private static final System.Logger LOG = System.getLogger(Node.class.getName());

    private final String name;
    private final Breaker breaker;
    private final Neighbours neighbours;
    private final EvictionWatch eviction;
    private final ScriptLane[] lanes;
    private final Probe probe;
    private long openedNanos;
    private volatile boolean closing;
    private volatile boolean warming;
    private volatile boolean saidMismatch;
    /** What was last said about the connection; null that it stands. */
    private @Nullable StoreFailure said;

    private boolean everUp;

    Node(
            String name,
            RedisSettings settings,
            Line.Factory[] lines,
            ScriptCommands commands,
            RedisStats stats,
            EvictionWatch eviction,
            Neighbours neighbours) {
        this.name = name;
        this.neighbours = neighbours;
        this.eviction = eviction;
        this.breaker = new Breaker(name, settings.breaker(), this::opened);
        this.lanes = new ScriptLane[lines.length];
        for (int i = 0; i < lines.length; i++) {
            lanes[i] = new ScriptLane(this, lines[i], commands, stats, settings.maxWaiting());
        }
        this.probe = new Probe(this, lanes[0].line(), commands, stats, settings, () -> neighbours.probeSubject(this));
    }

    void open() {
        for (ScriptLane lane : lanes) {
            lane.line().open();
        }
    }

    boolean isOpen() {
        return breaker.isOpen();
    }

    /** The lane of a subject, always the same one: the order of its asks is kept. */
    ScriptLane lane(long subject) {
        return lanes.length == 1 ? lanes[0] : lanes[(int) Long.remainderUnsigned(subject, lanes.length)];
    }

    NodeHealth health() {
        int waiting = 0;
        for (ScriptLane lane : lanes) {
            waiting += lane.waiting();
        }
        Line line = lanes[0].line();
        return new NodeHealth(name, line.down(), line.reason(), breaker.isOpen(), waiting);
    }

    /** It is of no interest any more: nothing more is said of it. */
    void dismiss() {
        closing = true;
    }

    /** Gives out its lines to be closed. */
    List<Line> close() {
        closing = true;
        probe.stop();
        return Arrays.stream(lanes).map(ScriptLane::line).toList();
    }

    void warming(boolean now) {
        warming = now;
    }

    void succeeded(long nanos) {
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
    Node redirected(Redirect redirect) {
        return neighbours.redirected(redirect, this);
    }

    /** Redis answered with an error that is not the batch's fault. */
    void complained(Line line, String error) {
        String code = Failures.code(error);
        if (code.equals("READONLY")) {
            // It was a master when we connected. Whoever is now is found by connecting again.
            line.renew(line.generation(), StoreFailure.UNAVAILABLE, error);
        }
        if (code.equals("READONLY")
                || code.equals("MOVED")
                || code.equals("CLUSTERDOWN")
                || code.equals("MASTERDOWN")) {
            neighbours.changed();
        }
    }

    synchronized void up() {
        if (said != null) {
            LOG.log(Level.INFO, "redis " + name + ": connected" + (everUp ? " again" : ""));
            said = null;
        }
        if (!everUp) {
            everUp = true;
            eviction.look(name, lanes[0].line());
        }
        neighbours.changed();
        hasNews();
    }

    synchronized void down(StoreFailure failure, String reason) {
        if (closing) {
            return;
        }
        if (failure != said) {
            Level level = failure == StoreFailure.REFUSED ? Level.ERROR : Level.WARNING;
            LOG.log(level, "redis " + name + ": not connected (" + failure.label() + "): " + reason);
            said = failure;
        }
        neighbours.changed();
    }

    /** Something changed around it: worth a try. */
    void hasNews() {
        if (breaker.isOpen()) {
            probe.now();
        }
    }

    /** A reply does not fit what was asked; {@code cause} is what reading it came to, if it came to an end. */
    void mismatched(@Nullable RuntimeException cause) {
        if (!saidMismatch) {
            saidMismatch = true;
            LOG.log(
                    Level.ERROR,
                    "redis " + name
                            + ": answered what the limits do not; such batches follow on_fail (said once, see the metric)",
                    cause);
        }
    }

    private void opened() {
        openedNanos = System.nanoTime();
        LOG.log(
                Level.WARNING,
                "redis " + name + ": fails or is slow; not asked until a probe in the background succeeds");
        neighbours.changed();
        probe.start();
    }

    /** A probe was answered. */
    void serves() {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNanos);
        breaker.close();
        LOG.log(Level.INFO, "redis " + name + ": serves again, after " + millis + " ms");
    }
}
