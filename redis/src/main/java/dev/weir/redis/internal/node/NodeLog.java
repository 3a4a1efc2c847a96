package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.connection.RedisError;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the log says of one server. In one outage each thing that can be wrong is said once, however often it is tried again: a server
 * that may not be written to is connected to, and found so, every second.
 */
public final class NodeLog {
    private static final System.Logger LOG = System.getLogger(NodeLog.class.getName());

    private final String name;
    private final Set<StoreFailure> said = EnumSet.noneOf(StoreFailure.class);
    private volatile boolean troubled;
    private boolean everUp;
    private volatile boolean saidMismatch;
    private volatile boolean saidUnknownFormat;

    NodeLog(String name) {
        this.name = name;
    }

    /** The connection is lost, or could not be had. */
    synchronized void down(StoreFailure failure, String reason) {
        if (said.add(failure)) {
            troubled = true;
            LOG.log(level(failure), "redis " + name + ": not connected (" + failure.label() + "): " + reason);
        }
    }

    /** There is a connection. Whoever was there before and could not serve is not well for that. */
    synchronized void up() {
        if (!said.contains(StoreFailure.UNAVAILABLE)) {
            over();
        }
        everUp = true;
    }

    /** It decided a batch. */
    void served() {
        if (troubled) {
            over();
        }
    }

    private synchronized void over() {
        if (troubled) {
            troubled = false;
            said.clear();
            LOG.log(Level.INFO, "redis " + name + ": connected" + (everUp ? " again" : ""));
        }
    }

    /** It is not asked any more, because of what it said last, if it said anything. */
    void opened(@Nullable RedisError last) {
        LOG.log(
                level(last == null ? null : last.failure()),
                "redis " + name + ": " + (last == null ? "fails or is slow" : last)
                        + "; not asked until a probe in the background succeeds");
    }

    /** A probe was answered. */
    void closed(long millis) {
        LOG.log(Level.INFO, "redis " + name + ": serves again, after " + millis + " ms");
    }

    /** A counter is in a format that this version does not know. */
    void unknownFormat() {
        if (!saidUnknownFormat) {
            saidUnknownFormat = true;
            LOG.log(
                    Level.WARNING,
                    "redis " + name
                            + ": holds counters in a format of a later version of Weir; their requests follow on_fail until this"
                            + " server is upgraded (said once, see the metric)");
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

    /** That we are refused is for people to mend, all else may pass. */
    private static Level level(@Nullable StoreFailure failure) {
        return failure == StoreFailure.REFUSED ? Level.ERROR : Level.WARNING;
    }
}
