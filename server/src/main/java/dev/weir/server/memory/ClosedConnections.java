package dev.weir.server.memory;

import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts connections that the server refused or closed to protect itself, and logs them: at most one line per reason
 * every ten seconds, with the number of connections since the last line.
 */
public final class ClosedConnections {
    private static final System.Logger LOG = System.getLogger(ClosedConnections.class.getName());
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanos;
    private final Map<CloseReason, Closed> counts = new EnumMap<>(CloseReason.class);

    public ClosedConnections() {
        this(System::nanoTime);
    }

    ClosedConnections(LongSupplier nanos) {
        this.nanos = nanos;
        for (CloseReason each : CloseReason.values()) {
            counts.put(each, new Closed());
        }
    }

    /** Counts {@code connections}, and logs {@code detail} unless a line for this reason was logged recently. */
    public void add(CloseReason reason, int connections, String detail) {
        Closed closed = of(reason);
        closed.count.add(connections);
        long unlogged = closed.toLog(connections, nanos.getAsLong());
        if (unlogged > 0) {
            LOG.log(
                    Level.WARNING,
                    (unlogged == 1
                                    ? "closed or refused a connection: "
                                    : "closed or refused " + unlogged + " connections: ")
                            + detail + " (further ones are counted in ratelimit_connections_closed_total)");
        }
    }

    public long count(CloseReason reason) {
        return of(reason).count.sum();
    }

    private Closed of(CloseReason reason) {
        return Objects.requireNonNull(counts.get(reason));
    }

    private static final class Closed {
        private final LongAdder count = new LongAdder();
        private boolean logged;
        private long loggedNanos;
        private long unlogged;

        /** The number of connections to log now; 0 if it is too early for a line. */
        synchronized long toLog(int more, long now) {
            unlogged += more;
            if (logged && now - loggedNanos < PERIOD_NANOS) {
                return 0;
            }
            long all = unlogged;
            unlogged = 0;
            logged = true;
            loggedNanos = now;
            return all;
        }
    }
}
