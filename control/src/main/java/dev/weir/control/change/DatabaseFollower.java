package dev.weir.control.change;

import dev.weir.control.audit.AuditLine;
import dev.weir.control.audit.AuditPosition;
import dev.weir.control.audit.AuditTable;
import dev.weir.control.database.Database;
import dev.weir.control.database.DatabaseException;
import dev.weir.internal.runtime.DaemonThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Applies to this node the changes that other nodes have written to the database.
 *
 * <p><b>Noticing a change.</b> PostgreSQL sends notifications. The follower also polls the version once a second,
 * because poolers drop notifications and connections can die silently. It reads the changes since its last version from
 * the audit log. After a long absence it reads everything again.
 */
public final class DatabaseFollower implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DatabaseFollower.class.getName());
    private static final int POLL_MILLIS = 1_000;
    /** With more changes than this, reading everything is less work. */
    private static final int MOST = 1_000;

    private final Database database;
    private final AuditedTransactions transactions;
    private final List<FollowedKind> kinds;
    private final boolean listens;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = DaemonThreads.create("weir-control", this::follow);
    private volatile @Nullable Connection listening;
    private volatile boolean connected;
    /** Whether the database was called at all. Only changes of {@link #connected} are logged. */
    private boolean tried;

    /** The last change seen. After a failover that lost changes, their versions are used again, with other hashes. */
    private volatile AuditPosition seen = AuditPosition.UNKNOWN;

    public DatabaseFollower(
            Database database, AuditedTransactions transactions, List<FollowedKind> kinds, boolean listens) {
        this.database = database;
        this.transactions = transactions;
        this.kinds = List.copyOf(kinds);
        this.listens = listens && database.isShared();
    }

    /**
     * Starts following. With an embedded database, which only this server changes, this checks whether the database
     * works.
     */
    public void start() {
        thread.start();
    }

    /** Returns whether the last call to the database succeeded. */
    public boolean isConnected() {
        return connected;
    }

    /** Returns the version of the last change that this node has seen; -1 if it has seen none. */
    public long version() {
        return seen.version();
    }

    /** Returns the last change that this node has seen, all of which is in force. */
    public AuditPosition position() {
        return seen;
    }

    /**
     * Reads and applies all changes. When this returns, they are in force here.
     *
     * @throws DatabaseException if the database is unreachable
     */
    public synchronized void sync() {
        try {
            seen = database.transaction(this::read);
            connected(true, "");
        } catch (DatabaseException e) {
            connected(false, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private AuditPosition read(Connection connection) throws SQLException {
        AuditPosition before = seen;
        long version = AuditedTransactions.version(connection);
        boolean unbroken = before.version() >= 0 && before.hash().equals(AuditTable.hash(connection, before.version()));
        if (unbroken && version == before.version()) {
            return before;
        }
        if (!unbroken && before.version() >= 0) {
            LOG.log(
                    Level.WARNING,
                    database + " has lost change " + before.version()
                            + " (after a failover or a restored backup): reading everything again");
        }
        List<AuditTable.Entry> changes = unbroken && version - before.version() <= MOST
                ? AuditTable.after(connection, before.version(), MOST)
                : List.of();
        return changes.isEmpty() ? readAll(connection, version) : read(connection, changes);
    }

    private AuditPosition readAll(Connection connection, long version) throws SQLException {
        List<Runnable> all = new ArrayList<>();
        for (FollowedKind each : kinds) {
            all.add(each.readAll(connection));
        }
        writeAudit(connection, version);
        all.forEach(Runnable::run);
        return new AuditPosition(version, AuditTable.hash(connection, version));
    }

    private AuditPosition read(Connection connection, List<AuditTable.Entry> changes) throws SQLException {
        Map<String, Set<String>> changed = new HashMap<>();
        for (AuditTable.Entry each : changes) {
            changed.computeIfAbsent(each.kind(), kind -> new LinkedHashSet<>()).add(each.subject());
        }
        List<Runnable> some = new ArrayList<>();
        for (FollowedKind each : kinds) {
            Set<String> subjects = changed.remove(each.kind());
            if (subjects != null) {
                some.add(each.read(connection, subjects));
            }
        }
        if (!changed.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "ignoring changes of kinds that this version of Weir does not know: " + changed.keySet());
        }
        AuditLine last = changes.get(changes.size() - 1).line();
        writeAudit(connection, last.version());
        some.forEach(Runnable::run);
        return new AuditPosition(last.version(), last.hash());
    }

    private void writeAudit(Connection connection, long version) throws SQLException {
        try {
            transactions.catchUp(connection, version);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the audit file cannot be written: " + e.getMessage());
        }
    }

    private void follow() {
        while (closed.getCount() > 0) {
            try {
                sync();
                await();
            } catch (DatabaseException e) {
                pause();
            } catch (SQLException e) {
                disconnect();
                pause();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "following the database failed; retrying", e);
                pause();
            }
        }
        disconnect();
    }

    /** Waits for a notification, for at most a second. */
    private void await() throws SQLException {
        Connection connection = listening;
        if (!listens) {
            pause();
            return;
        }
        if (connection == null) {
            connection = database.listen(AuditedTransactions.CHANNEL);
            listening = connection;
            return; // the caller reads at once what changed before this connection listened
        }
        connection.unwrap(PGConnection.class).getNotifications(POLL_MILLIS);
    }

    private void pause() {
        try {
            closed.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void disconnect() {
        Connection connection = listening;
        listening = null;
        try {
            if (connection != null) {
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "closing a broken connection failed", e);
        }
    }

    private void connected(boolean now, String why) {
        boolean changed = !tried || connected != now;
        tried = true;
        connected = now;
        if (changed && now) {
            LOG.log(Level.INFO, "database: " + database);
        } else if (changed) {
            String known = version() < 0 ? "" : "; its last known contents stay in force";
            LOG.log(Level.ERROR, why + known + "; changes are refused");
        }
    }

    @Override
    public void close() {
        closed.countDown();
        disconnect();
        try {
            if (thread.isAlive()) {
                thread.join(2 * POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
