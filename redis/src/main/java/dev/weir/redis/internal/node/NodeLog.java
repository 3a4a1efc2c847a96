package dev.weir.redis.internal.node;

import dev.weir.StoreFailure;
import dev.weir.redis.internal.connection.RedisError;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log lines about one server. In one outage each kind of failure is logged once, however often it recurs: a
 * read-only server is found so on every reconnect.
 */
public final class NodeLog {
    private static final System.Logger LOG = System.getLogger(NodeLog.class.getName());

    private final String name;
    private final Set<StoreFailure> logged = EnumSet.noneOf(StoreFailure.class);
    private volatile boolean inOutage;
    private boolean everUp;
    private volatile boolean mismatchLogged;
    private volatile boolean unknownFormatLogged;

    NodeLog(String name) {
        this.name = name;
    }

    /** Logs that the connection was lost or could not be opened. */
    synchronized void down(StoreFailure failure, String reason) {
        if (logged.add(failure)) {
            inOutage = true;
            LOG.log(level(failure), "redis " + name + ": not connected (" + failure.label() + "): " + reason);
        }
    }

    /**
     * Ends the outage because there is a connection, unless the server was unable to serve before: then only an
     * answered batch ends it.
     */
    synchronized void up() {
        if (!logged.contains(StoreFailure.UNAVAILABLE)) {
            endOutage();
        }
        everUp = true;
    }

    /** Ends the outage because the server answered a batch. */
    void served() {
        if (inOutage) {
            endOutage();
        }
    }

    private synchronized void endOutage() {
        if (inOutage) {
            inOutage = false;
            logged.clear();
            LOG.log(Level.INFO, "redis " + name + ": connected" + (everUp ? " again" : ""));
        }
    }

    /** Logs that the breaker opened, with Redis's last error if there is one. */
    void opened(@Nullable RedisError last) {
        LOG.log(
                level(last == null ? null : last.failure()),
                "redis " + name + ": " + (last == null ? "batches fail or are slow" : last)
                        + "; the breaker is open until a background probe succeeds");
    }

    /** Logs that the breaker closed. */
    void closed(long millis) {
        LOG.log(Level.INFO, "redis " + name + ": serves again after " + millis + " ms");
    }

    /** Logs, once, that a counter has a format of a later version. */
    void unknownFormat() {
        if (!unknownFormatLogged) {
            unknownFormatLogged = true;
            LOG.log(
                    Level.WARNING,
                    "redis " + name
                            + ": holds counters in a format of a later version of Weir; on_fail decides their requests until this"
                            + " server is upgraded (logged once, see ratelimit_redis_errors_total)");
        }
    }

    /** Logs, once, that a reply does not match its batch; {@code cause} is the exception while reading it, if any. */
    void mismatched(@Nullable RuntimeException cause) {
        if (!mismatchLogged) {
            mismatchLogged = true;
            LOG.log(
                    Level.ERROR,
                    "redis " + name
                            + ": the script and Java disagree on a result; on_fail decides such batches"
                            + " (logged once, see the metric)",
                    cause);
        }
    }

    /** Returns ERROR for refused access, which an operator has to correct; other failures may pass. */
    private static Level level(@Nullable StoreFailure failure) {
        return failure == StoreFailure.REFUSED ? Level.ERROR : Level.WARNING;
    }
}
